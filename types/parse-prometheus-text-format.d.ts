// What tests use of the parser; it brings no types.
declare module "parse-prometheus-text-format" {
  export interface Family {
    readonly name: string
    readonly help: string
    readonly type: "COUNTER" | "GAUGE" | "HISTOGRAM" | "SUMMARY" | "UNTYPED"
    readonly metrics: ReadonlyArray<{
      readonly value?: string
      readonly labels?: Readonly<Record<string, string>>
      readonly buckets?: Readonly<Record<string, string>>
      readonly count?: string
    }>
  }
  export default function parse(text: string): ReadonlyArray<Family>
}
