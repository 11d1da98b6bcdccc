let loading;

/** Return the list of books. It is requested once. */
export function books() {
  loading ??= fetch("/data/books.json")
    .then((response) => response.json())
    .then((data) => data.books);
  return loading;
}
