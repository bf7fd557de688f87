// Reads a Dockerfile and a .dockerignore as far as the tests need it: instructions with their words, stages, and which
// files of the repository a build is shown. No escapes, here-documents or variables: ours have none.

export interface Instruction {
  readonly name: string
  /** In brackets they are a JSON array; else what stands between blanks. */
  readonly words: ReadonlyArray<string>
}

export interface Stage {
  readonly image: string
  readonly name: string | undefined
  readonly instructions: ReadonlyArray<Instruction>
}

const wordsOf = (text: string): ReadonlyArray<string> => {
  const isArray = text.startsWith("[")
  return isArray ? JSON.parse(text) : text.split(/\s+/).map((word) => word.replaceAll(/^"|"$/g, ""))
}

const instructions = (text: string): ReadonlyArray<Instruction> =>
  text
    .replaceAll(/^\s*#.*\n/gm, "")
    .replaceAll(/\\\n\s*/g, "")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => {
      const [, name = "", rest = ""] = /^(\w+)\s+(.*)$/.exec(line.trim()) ?? []
      return { name: name.toUpperCase(), words: wordsOf(rest) }
    })

export const stages = (text: string): ReadonlyArray<Stage> => {
  const found: Array<{ image: string; name: string | undefined; instructions: Array<Instruction> }> = []
  for (const { name, words } of instructions(text)) {
    if (name === "FROM") found.push({ image: words[0] ?? "", name: words[2], instructions: [] })
    else found.at(-1)?.instructions.push({ name, words })
  }
  return found
}

/** The words of a COPY: from which stage, what, and where to. */
export const copied = ({ words }: Instruction) => {
  const flag = words.find((word) => word.startsWith("--from="))
  const paths = words.filter((word) => !word.startsWith("--"))
  return { stage: flag?.slice("--from=".length), sources: paths.slice(0, -1) }
}

/** Variables that ENV instructions set. */
export const environmentOf = (stage: Stage): Readonly<Record<string, string>> =>
  Object.fromEntries(
    stage.instructions.flatMap(({ name, words }) =>
      name === "ENV" ? words.map((word) => [word.slice(0, word.indexOf("=")), word.slice(word.indexOf("=") + 1)]) : [],
    ),
  )

const pattern = (rule: string): RegExp =>
  new RegExp(
    `^${rule
      .replaceAll(/[.+^$()|[\]\\{}]/g, "\\$&")
      .replaceAll("**/", "§")
      .replaceAll("*", "[^/]*")
      .replaceAll("§", "(?:.*/)?")}$`,
  )

/** Whether a build is shown a file: of the rules that match it, or a folder above it, the last one decides. */
export const shown = (ignore: string): ((path: string) => boolean) => {
  const rules = ignore
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) =>
      line.startsWith("!") ? { show: true, of: pattern(line.slice(1)) } : { show: false, of: pattern(line) },
    )
  return (path) => {
    const parts = path.split("/")
    const paths = parts.map((_, index) => parts.slice(0, index + 1).join("/"))
    return rules.reduce((visible, { show, of }) => (paths.some((each) => of.test(each)) ? show : visible), true)
  }
}
