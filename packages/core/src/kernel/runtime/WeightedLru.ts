// A cache of bounded weight that evicts the least recently used entries.

interface Entry<Value> {
  readonly version: string
  readonly value: Value
  readonly weight: number
}

export class WeightedLru<Value> {
  readonly #entries = new Map<string, Entry<Value>>()
  readonly #weight_max: number
  #weight = 0
  /** Key of the most recently used entry, which need not be moved. */
  #newest: string | null = null

  constructor(weight_max: number) {
    this.#weight_max = weight_max
  }

  /** Undefined if the entry was stored under another version. */
  get(key: string, version = ""): Value | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined || entry.version !== version) return undefined
    if (key === this.#newest) return entry.value
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    this.#newest = key
    return entry.value
  }

  /** Creates the entry if it is missing. */
  getOrSet(key: string, make: () => Value): Value {
    const known = this.get(key)
    if (known !== undefined) return known
    const value = make()
    this.set(key, value)
    return value
  }

  /** An entry that weighs more than the whole cache may is not stored. */
  set(
    key: string,
    value: Value,
    { version = "", weight = 1 }: { readonly version?: string; readonly weight?: number } = {},
  ): void {
    this.#delete(key)
    this.#entries.set(key, { version, value, weight })
    this.#newest = key
    this.#weight += weight
    for (const oldest of this.#entries.keys()) {
      if (this.#weight <= this.#weight_max) return
      this.#delete(oldest)
    }
  }

  #delete(key: string): void {
    this.#weight -= this.#entries.get(key)?.weight ?? 0
    this.#entries.delete(key)
  }
}
