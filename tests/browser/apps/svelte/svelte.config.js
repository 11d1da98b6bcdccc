import adapter from "@sveltejs/adapter-static";

const built = process.env.APPS_BUILD;

export default {
  kit: {
    adapter: adapter({ pages: `${built}/svelte`, assets: `${built}/svelte` }),
    outDir: "../node_modules/.svelte-kit", // its modules import packages
  },
};
