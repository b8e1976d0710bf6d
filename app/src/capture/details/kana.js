// The reading of a name that is typed in Japanese: the input method shows it as kana before it becomes kanji. It is filled in below the
// name as long as nobody types another one there.
(() => {
  const isKana = (text) => /^[\u3041-\u3096\u30a1-\u30fa\u30fc]+$/.test(text);
  const inKatakana = (text) => text.replace(/[\u3041-\u3096]/g, (kana) => String.fromCharCode(kana.charCodeAt(0) + 0x60));
  for (const [from, to] of [["lastName", "lastNameKana"], ["firstName", "firstNameKana"]]) {
    const name = document.getElementById(from);
    const reading = document.getElementById(to);
    // What was typed, from the left: each part with its reading.
    let parts = [];
    let last = "";
    let filled = "";
    const fill = () => {
      if (reading.value !== filled) return;
      filled = parts.map((part) => part.reading).join("");
      reading.value = filled;
    };
    // Parts that are no longer there are forgotten.
    const keep = () => {
      let rest = name.value;
      const kept = parts.findIndex(({ written }) => {
        const is = rest.startsWith(written);
        if (is) rest = rest.slice(written.length);
        return !is;
      });
      if (kept >= 0) parts.length = kept;
      return rest;
    };
    name.addEventListener("compositionstart", () => { last = ""; });
    name.addEventListener("compositionupdate", ({ data }) => {
      // Typed on a Latin keyboard, the last kana is not finished: `やまd`.
      const text = data.normalize("NFKC").replace(/[a-z]+$/i, "");
      if (isKana(text)) last = text;
    });
    name.addEventListener("compositionend", ({ data }) => {
      // Not every browser has put the text into the field before it says so.
      setTimeout(() => {
        if (data !== "" && last !== "" && keep() === data) parts.push({ written: data, reading: inKatakana(last) });
        fill();
      });
    });
    name.addEventListener("input", ({ isComposing }) => {
      if (isComposing) return;
      keep();
      fill();
    });
  }
})();
