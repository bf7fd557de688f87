// A row of the attacks, and the tests that hold it: by the file in which a test stands and its title there.

export interface Held {
  /** Where the test stands. A law stands in core's contract, what all rooms go through in `Assault.ts`. */
  readonly file: string
  /** As it is written there, with what a template leaves open. */
  readonly title: string
}

export interface Row {
  readonly number: number
  readonly sentence: string
  readonly held: ReadonlyArray<Held>
  /** What of it no test here can try, or is meant to be otherwise, and why. */
  readonly untried: ReadonlyArray<string>
}

export const row = (number: number, sentence: string, ...parts: ReadonlyArray<Held | string>): Row => ({
  number,
  sentence,
  held: parts.flatMap((part) => (typeof part === "string" ? [] : [part])),
  untried: parts.flatMap((part) => (typeof part === "string" ? [part] : [])),
})

/** A remark on a row, where it stands among the tests that hold it. */
export const but = (reason: string): string => reason

export const within =
  (folder: string, extension = ".test.ts") =>
  (name: string, title: string): Held => ({ file: `${folder}/${name}${extension}`, title })

export const http = within("packages/http/test")
export const core = within("packages/core/test")
export const adapters = within("packages/adapters/test")
export const law = within("packages/core/contract", ".ts")
export const whole = within("test")

export const refused: Held = {
  file: "packages/http/test/attacks/AttackSuite.ts",
  title: "takes what is right, and refuses everything else",
}
export const strangers: Held = {
  file: "packages/http/test/attacks/AttackSuite.ts",
  title: "is for who has a key, and knows another workspace's ids no better than none",
}
