import { chapters } from "$lib/chapters.js";

export const entries = () => Object.keys(chapters).map((chapter) => ({ chapter }));

export const load = ({ params }) => chapters[params.chapter];
