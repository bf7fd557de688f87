// A fake of the secrets port for tests of the rules: growing numbers, and a hash that is only distinct.
import { Secrets } from "@tentpole/core/kernel/Secrets"
import { Effect, Layer } from "effect"

let drawn = 0

export const sha256 = (bytes: Uint8Array): Uint8Array => {
  const digest = new Uint8Array(32)
  let state = 2166136261
  for (const byte of bytes) state = Math.imul(state ^ byte, 16777619) >>> 0
  return digest.map((_, at) => Math.imul(state ^ (at + 1), 2654435761) >>> 24)
}

export const layer = Layer.mock(Secrets)({
  randomBytes: (length) => Effect.sync(() => Uint8Array.from({ length }, () => (drawn = (drawn * 31 + 7) % 251))),
  sha256,
  mac: () => new Uint8Array(32),
  verifies: () => false,
  longMac: (_purpose, _message, length) => "A".repeat(length),
  verifiesPiece: () => false,
})
