// A click on a figure shows it as large as the window; a click or Escape closes it.
for (const image of document.querySelectorAll("article img")) {
  if (image.closest("a")) continue;
  image.classList.add("enlarges");
  image.tabIndex = 0;
  const open = () => {
    const dialog = document.createElement("dialog");
    dialog.className = "figure";
    dialog.setAttribute("aria-label", image.alt);
    dialog.append(Object.assign(new Image(), { src: image.src, alt: image.alt, className: image.classList.contains("drawn") ? "drawn" : "" }));
    dialog.onclick = () => dialog.close();
    dialog.onclose = () => dialog.remove();
    document.body.append(dialog);
    dialog.showModal();
  };
  image.onclick = open;
  image.onkeydown = (event) => event.key === "Enter" && open();
}

// A table that is wider than its screen scrolls, or had better where a row is taller than ten lines; then cells with a
// sentence need not be as narrow as its longest word.
window.addEventListener("load", () => {
  for (const wrapper of document.querySelectorAll(".table-wrapper")) {
    const tall = [...wrapper.querySelectorAll("tr")].some((row) => row.offsetHeight > 240);
    if (wrapper.scrollWidth <= wrapper.clientWidth && !tall) continue;
    wrapper.classList.add("scrolls");
    for (const cell of wrapper.querySelectorAll("td")) cell.classList.toggle("words", cell.textContent.length > 30);
  }
});
