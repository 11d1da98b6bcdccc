export const chapters = {
  install: { title: "Installation", text: "Unpack the archive and put the program on the path.", next: "rules" },
  rules: { title: "Rules", text: "A rule is a pattern and a replacement, one on each line of a file.", next: "undo" },
  undo: { title: "Undo", text: "Each run writes a journal, so that it can be taken back.", next: null },
};
