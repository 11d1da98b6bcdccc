import { createApp } from "vue";
import { createRouter, createWebHistory } from "vue-router";
import Library from "./Library.vue";
import Book from "./pages/Book.vue";
import Books from "./pages/Books.vue";
import Home from "./pages/Home.vue";
import Text from "./pages/Text.vue";

const text = (path, title, words) => ({ path, component: Text, props: { title, words } });

const router = createRouter({
  history: createWebHistory(),
  routes: [
    { path: "/", component: Home },
    { path: "/books", component: Books },
    {
      path: "/books/:slug",
      component: Book,
      children: [{ path: "chapters/:number", component: () => import("./pages/Chapter.vue") }],
    },
    { path: "/authors/:author", component: () => import("./pages/Author.vue") },
    text("/opening-hours", "Opening hours", "The library is open from nine to five."),
    text("/membership", "Membership", "Members borrow ten books at a time."),
    text("/imprint", "Imprint", "The library is run by the town."),
    { path: "/hours", redirect: "/opening-hours" },
    text("/:anything(.*)*", "Not found", "There is no page at this address."),
  ],
});

createApp(Library).use(router).mount("#app");
