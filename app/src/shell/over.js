// Whether a page is over. What else is not answered well is over in a moment: too many requests, a restart, a proxy without a server.
function isOver({ status }) { return [401, 404, 410].includes(status); }
