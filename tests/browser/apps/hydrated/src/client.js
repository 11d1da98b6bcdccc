import { createWebHistory } from "vue-router";
import { createGazette } from "./gazette.js";

const { app, router } = createGazette(createWebHistory());
await router.isReady();
app.mount("#app");
