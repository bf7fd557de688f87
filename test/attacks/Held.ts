// A row of the attacks, and the tests that hold it: by the file in which a test stands and its title there.

export interface Held {
  /** Where the test stands. A law stands in core's contract, what all rooms go through in `Assault.ts`. */
  readonly file: string
  readonly title: string
}

export interface Row {
  readonly number: number
  readonly sentence: string
  readonly held: ReadonlyArray<Held>
}

export const row = (number: number, sentence: string, ...held: ReadonlyArray<Held>): Row => ({ number, sentence, held })

export const within =
  (folder: string, extension = ".test.ts") =>
  (name: string, title: string): Held => ({ file: `${folder}/${name}${extension}`, title })

export const http = within("packages/http/test")
export const core = within("packages/core/test")
export const adapters = within("packages/adapters/test")
export const law = within("packages/core/contract", ".ts")
export const whole = within("test")

export const refused: Held = {
  file: "packages/http/test/Assault.ts",
  title: "takes what is right, and refuses everything else",
}
export const strangers: Held = {
  file: "packages/http/test/Assault.ts",
  title: "is for who has a key, and knows another workspace's ids no better than none",
}
