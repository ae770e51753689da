// The contrast of each piece of visible text with what is behind it: WCAG 2.2, "contrast ratio" and "relative luminance".
const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
const rgb = colour => {
  canvas.clearRect(0, 0, 1, 1);
  canvas.fillStyle = colour;
  canvas.fillRect(0, 0, 1, 1);
  return [...canvas.getImageData(0, 0, 1, 1).data];
};
const luminance = ([r, g, b]) => {
  const [x, y, z] = [r, g, b].map(v => v / 255).map(v => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
  return 0.2126 * x + 0.7152 * y + 0.0722 * z;
};
const behind = element => {
  for (let e = element; e; e = e.parentElement) {
    const colour = rgb(getComputedStyle(e).backgroundColor);
    if (colour[3] === 255) return colour;
  }
  return [255, 255, 255, 255];
};
const found = [];
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walker.nextNode()) {
  const element = walker.currentNode.parentElement;
  const text = walker.currentNode.textContent.trim();
  if (!text || !element.checkVisibility() || element.closest("title")) continue;
  const style = getComputedStyle(element);
  const [a, b] = [luminance(rgb(element.closest("svg") ? style.fill : style.color)), luminance(behind(element))].sort((x, y) => y - x);
  found.push({ text: text.slice(0, 40), ratio: (a + 0.05) / (b + 0.05) });
}
return found;
