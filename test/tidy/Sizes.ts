// How large files and functions are, and that a file begins by saying what it is for.
import { measure } from "./Functions.ts"
import type { Source, Violation } from "./Source.ts"

const file_lines_max = 400
/** A program begins in a few lines; what it does has a name and a file. */
const main_lines_max = 40
const function_lines_max = 70

const linesOf = (text: string): number => text.split("\n").length - (text.endsWith("\n") ? 1 : 0)

export const files = (sources: ReadonlyArray<Source>): ReadonlyArray<Violation> =>
  sources.flatMap(({ path, text }) => {
    const [lines, lines_max] = [linesOf(text), path.endsWith("/main.ts") ? main_lines_max : file_lines_max]
    return lines <= lines_max
      ? []
      : [
          {
            path,
            line: lines_max + 1,
            what: `has ${lines} lines, of ${lines_max} allowed`,
            remedy: "find the thing in it that wants a name of its own, and give it a file",
          },
        ]
  })

export const functions = (sources: ReadonlyArray<Source>): ReadonlyArray<Violation> =>
  sources.flatMap((source) =>
    measure(source)
      .filter(({ lines }) => lines > function_lines_max)
      .map(({ name, line, lines }) => ({
        path: source.path,
        line,
        what: `${name} has ${lines} lines, of ${function_lines_max} allowed (named functions inside it count by themselves)`,
        remedy: "give a step of it a name: branches stay here, what they do goes into functions of their own",
      })),
  )

export const openings = (sources: ReadonlyArray<Source>): ReadonlyArray<Violation> =>
  sources
    .filter(({ text }) => !/^(\/\/ \S|\/\*\*?\s)/.test(text))
    .map(({ path }) => ({
      path,
      line: 1,
      what: "does not begin with what it is for",
      remedy: "one to three sentences in a comment, before the imports",
    }))
