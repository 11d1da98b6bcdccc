declare module "virtual:schemas" {
  const schemas: Readonly<Record<string, import("./fields").JsonSchema>>;
  export default schemas;
}
