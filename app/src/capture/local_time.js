(() => {
  // Of the languages that the phone prefers, one of the page's tells how its owner writes dates. Without one, English is that of the page's other dates:
  // "en" alone is American to a browser.
  const language = document.documentElement.lang;
  const own = (navigator.languages.find((one) => one.split("-")[0] === language.split("-")[0]) ?? language).replace(/^en$/, "en-GB");
  const format = new Intl.DateTimeFormat(own, { dateStyle: "long", timeStyle: "short" });
  for (const time of document.querySelectorAll("time[data-local]")) time.textContent = format.format(new Date(time.dateTime));
})();
