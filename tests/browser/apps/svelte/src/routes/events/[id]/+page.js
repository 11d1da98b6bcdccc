export const entries = () => ["spring", "autumn", "online"].map((id) => ({ id }));

export const load = ({ params }) => params;
