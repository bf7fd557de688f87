// The part of json-logic-js that the benchmark uses; it brings no types.
declare module "json-logic-js" {
  const jsonLogic: { readonly apply: (rule: unknown, data: unknown) => unknown }
  export default jsonLogic
}
