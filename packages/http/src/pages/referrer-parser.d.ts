// The package's own types name files without endings, which the compiler does not follow.
declare module "@tryghost/referrer-parser" {
  export class ReferrerParser {
    parse(url: string): { readonly referrerSource: string | null; readonly referrerMedium: string | null }
  }
}
