(() => {
  // Times are in UTC, as in the API and in the audit log. Whoever points at one sees it in the time zone of this browser as well.
  const format = new Intl.DateTimeFormat(document.documentElement.lang.replace(/^en$/, "en-GB"), { dateStyle: "medium", timeStyle: "long" });
  document.addEventListener("pointerover", ({ target }) => {
    const time = target.closest("time[datetime]");
    if (time) time.title = format.format(new Date(time.dateTime));
  });
})();
