// The part of papaparse that is used; it brings no types.
declare module "papaparse" {
  const Papa: {
    parse(
      text: string,
      options: {
        readonly preview: number
        readonly skipEmptyLines: boolean
        readonly delimitersToGuess: ReadonlyArray<string>
      },
    ): { readonly meta: { readonly delimiter: string } }
  }
  export default Papa
}
