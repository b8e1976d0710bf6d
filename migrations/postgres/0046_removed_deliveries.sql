-- What is known of the deliveries of an event that were removed because of their age: 'none' was, what was removed had sent nothing
-- ('unsent'), or something of the event may have been sent ('sent'). NULL if the event was recorded before this was noted.
ALTER TABLE events ADD COLUMN removed_delivery TEXT;
