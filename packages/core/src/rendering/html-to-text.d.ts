// Types of the used part of `html-to-text`, which ships none.
declare module "html-to-text" {
  export interface SelectorDefinition {
    readonly selector: string
    readonly format?: string
    readonly options?: Readonly<Record<string, unknown>>
  }
  export interface HtmlToTextOptions {
    readonly wordwrap?: number | false | null
    readonly selectors?: ReadonlyArray<SelectorDefinition>
    readonly limits?: {
      readonly maxDepth?: number
      readonly maxInputLength?: number
      readonly ellipsis?: string
    }
  }
  export const compile: (options: HtmlToTextOptions) => (html: string) => string
}
