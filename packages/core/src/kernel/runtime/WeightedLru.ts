// A memory of bounded weight: what was used longest ago goes first.

interface Entry<Value> {
  /** What the value was read under; another mark, and it is not to be trusted any more. */
  readonly mark: string
  readonly value: Value
  readonly weight: number
}

export class Bounded<Value> {
  readonly #entries = new Map<string, Entry<Value>>()
  readonly #weight_max: number
  #weight = 0
  /** The last of the entries: what is asked for again and again stays where it is. */
  #newest: string | null = null

  constructor(weight_max: number) {
    this.#weight_max = weight_max
  }

  get(key: string, mark = ""): Value | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined || entry.mark !== mark) return undefined
    if (key === this.#newest) return entry.value
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    this.#newest = key
    return entry.value
  }

  /** One that weighs more than there is room for is not kept. */
  set(
    key: string,
    value: Value,
    { mark = "", weight = 1 }: { readonly mark?: string; readonly weight?: number } = {},
  ): void {
    this.#drop(key)
    this.#entries.set(key, { mark, value, weight })
    this.#newest = key
    this.#weight += weight
    for (const oldest of this.#entries.keys()) {
      if (this.#weight <= this.#weight_max) return
      this.#drop(oldest)
    }
  }

  #drop(key: string): void {
    this.#weight -= this.#entries.get(key)?.weight ?? 0
    this.#entries.delete(key)
  }
}
