// What a finger cannot hit, and what stands out of the window.

/** The controls that are smaller than 44 by 44 CSS pixels. Links within a sentence are exempt, as in WCAG 2.2, 2.5.8. */
export const smallTargets = (page) =>
  page.evaluate(() => {
    const least = 44;
    const union = (boxes) => ({
      width: Math.max(...boxes.map((box) => box.right)) - Math.min(...boxes.map((box) => box.left)),
      height: Math.max(...boxes.map((box) => box.bottom)) - Math.min(...boxes.map((box) => box.top)),
    });
    const isInSentence = (link) => {
      const block = link.closest("p, li, td, th, dd, label, figcaption, h1, h2");
      return getComputedStyle(link).display === "inline" && block && block.textContent.trim() !== link.textContent.trim();
    };
    const small = [];
    for (const control of document.querySelectorAll("a[href], button, input:not([type=hidden]), select, textarea, summary")) {
      if (!control.checkVisibility({ visibilityProperty: true, opacityProperty: false }) || control.matches(".skip")) continue;
      if (control.matches("a") && isInSentence(control)) continue;
      // A button that only Enter presses is neither seen nor read out.
      if (control.matches("[aria-hidden=true][tabindex=\"-1\"]")) continue;
      // A tap on a label is a tap on its box.
      const labels = control.matches("[type=checkbox], [type=radio]") ? [...control.labels] : [];
      const { width, height } = union([control, ...labels].map((part) => part.getBoundingClientRect()));
      // Half a pixel is lost in rounding.
      if (width < least - 0.5 || height < least - 0.5) {
        const name = (control.getAttribute("aria-label") ?? control.textContent).trim() || control.id || control.outerHTML;
        small.push(`${name.slice(0, 60)}: ${Math.round(width)} × ${Math.round(height)}`);
      }
    }
    return small;
  });

/** By how many pixels the page can be scrolled sideways. */
export const beyond = (page) => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
