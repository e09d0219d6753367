// How the search orders what it finds: pages first, then the commands' options, then the API reference.
var Scorer = {
  score: ([docname, , , , score]) =>
    score - (docname.startsWith("api/") ? 40 : docname.startsWith("verbs/") || docname === "extending" ? 10 : 0),
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
