(() => {
  // Of the languages that the phone prefers, one of the page's tells how its owner writes dates.
  const language = document.documentElement.lang;
  const own = navigator.languages.find((one) => one.split("-")[0] === language.split("-")[0]) ?? language;
  const format = new Intl.DateTimeFormat(own, { dateStyle: "long", timeStyle: "short" });
  for (const time of document.querySelectorAll("time[data-local]")) time.textContent = format.format(new Date(time.dateTime));
})();
