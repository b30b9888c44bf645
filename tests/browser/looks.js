// What a reader can see of a page. Every function returns a list of complaints, empty if there is nothing to complain about.
(() => {
  const visible = (element) =>
    element.checkVisibility({ opacityProperty: true, visibilityProperty: true, contentVisibilityAuto: false }) &&
    !element.closest("[aria-hidden=true]");

  // Text that is only for screen readers is clipped to nothing.
  const clipped = (element) => {
    for (let each = element; each; each = each.parentElement) {
      if (getComputedStyle(each).clipPath === "inset(50%)") return true;
    }
    return false;
  };

  const texts = function* () {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const element = node.parentElement;
      if (!node.data.trim() || element.closest("style, script, title, desc, noscript")) continue;
      yield [node.data.trim().replace(/\s+/g, " "), element, node];
    }
  };

  const shown = (element, node) => {
    if (!visible(element) || clipped(element)) return false;
    const range = document.createRange();
    range.selectNodeContents(node);
    return [...range.getClientRects()].some((box) => box.width > 0 && box.height > 0);
  };

  const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const known = new Map();
  const colour = (text) => {
    if (!known.has(text)) {
      canvas.clearRect(0, 0, 1, 1);
      canvas.fillStyle = text;
      canvas.fillRect(0, 0, 1, 1);
      const [red, green, blue, alpha] = canvas.getImageData(0, 0, 1, 1).data;
      known.set(text, [red, green, blue, alpha / 255]);
    }
    return known.get(text);
  };

  const over = (front, back) => {
    const alpha = front[3];
    return [...[0, 1, 2].map((place) => front[place] * alpha + back[place] * (1 - alpha)), 1];
  };

  const background = (element) => {
    const layers = [];
    for (let each = element; each; each = each.parentElement) {
      const layer = colour(getComputedStyle(each).backgroundColor);
      if (layer[3] > 0) layers.push(layer);
      if (layer[3] === 1) break;
    }
    // Behind everything is the canvas, which is nearly black where the page asks for a dark scheme.
    const canvasColour = colour(getComputedStyle(document.documentElement).colorScheme.includes("dark") &&
      matchMedia("(prefers-color-scheme: dark)").matches ? "#121212" : "#ffffff");
    return layers.reverse().reduce((back, front) => over(front, back), canvasColour);
  };

  const luminance = (rgb) => {
    const [red, green, blue] = rgb.slice(0, 3).map((value) => {
      const share = value / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };

  const contrast = (one, other) => {
    const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a);
    return (light + 0.05) / (dark + 0.05);
  };

  return {
    // WCAG 1.4.3: 4.5, and 3 for large text.
    lowContrast() {
      const found = new Set();
      for (const [text, element, node] of texts()) {
        if (!shown(element, node)) continue;
        const style = getComputedStyle(element);
        const back = background(element);
        const ink = colour(element.closest("svg") ? style.fill : style.color);
        let opacity = 1;
        for (let each = element; each; each = each.parentElement) opacity *= Number(getComputedStyle(each).opacity);
        const ratio = contrast(over([...ink.slice(0, 3), ink[3] * opacity], back), back);
        const size = parseFloat(style.fontSize);
        const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
        if (ratio < (large ? 3 : 4.5)) found.add(`${ratio.toFixed(2)} ${text.slice(0, 40)}`);
      }
      return [...found];
    },

    // WCAG 1.1.1: pictures have names; those inside a named picture belong to it.
    withoutAlternative() {
      const pictures = [...document.querySelectorAll("svg, img, canvas, object, [role=img]")];
      return pictures
        .filter((each) => !each.parentElement.closest("svg, [role=img], [aria-hidden=true]"))
        .filter((each) => each.getAttribute("aria-hidden") !== "true")
        .filter((each) => {
          const named = each.getAttribute("aria-label") || each.getAttribute("alt") || each.querySelector(":scope > title")?.textContent;
          return !named?.trim() || (each.localName === "svg" && each.getAttribute("role") !== "img");
        })
        .map((each) => each.outerHTML.slice(0, 80));
    },

    // How far the page scrolls sideways.
    sideways() {
      return document.documentElement.scrollWidth - document.documentElement.clientWidth;
    },

    // What can be read, in order.
    readable() {
      return [...texts()].filter(([, element, node]) => shown(element, node)).map(([text]) => text);
    },

    // All text there is, but for what is meant for screen readers only.
    written() {
      return [...texts()].filter(([, element]) => !clipped(element)).map(([text]) => text);
    },

    // Boxes that hide a part of what they hold, as paper does not scroll.
    cutOff() {
      return [...document.querySelectorAll("body *")]
        .filter((each) => visible(each) && !clipped(each) && !each.closest("svg"))
        .filter((each) => {
          const { overflowX, overflowY } = getComputedStyle(each);
          const [wide, high] = [each.scrollWidth - each.clientWidth, each.scrollHeight - each.clientHeight];
          return (overflowX !== "visible" && wide > 1) || (overflowY !== "visible" && high > 1);
        })
        .map((each) => each.outerHTML.slice(0, 80));
    },

    // Tables whose cells break words into pieces or leave less room than a few letters.
    narrowCells() {
      return [...document.querySelectorAll("td, th")]
        .filter((each) => visible(each) && each.textContent.trim().length > 8)
        .filter((each) => each.getBoundingClientRect().width < 40)
        .map((each) => each.textContent.trim().slice(0, 40));
    },
  };
})();
