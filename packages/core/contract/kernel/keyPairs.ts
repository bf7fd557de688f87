// Key pairs for tests of other things: creating one takes as long as a hundred requests.
import { Effect, Layer } from "effect"
import { Secrets } from "../../src/kernel/Secrets.ts"

type KeyPair = Effect.Success<Secrets["Service"]["rsaKeyPair"]>

const pairs_max = 3
const made: Array<KeyPair> = []
let asked = 0

/** The same secrets with three key pairs in a process, used in turn. */
export const withFewKeyPairs = <E, R>(secrets: Layer.Layer<Secrets, E, R>): Layer.Layer<Secrets, E, R> =>
  Layer.effect(
    Secrets,
    Effect.map(Secrets, (all) =>
      Secrets.of({
        ...all,
        rsaKeyPair: Effect.suspend(() => {
          const known = made[asked++ % pairs_max]
          return known === undefined
            ? Effect.tap(all.rsaKeyPair, (pair) => Effect.sync(() => made.push(pair)))
            : Effect.succeed(known)
        }),
      }),
    ),
  ).pipe(Layer.provide(secrets))
