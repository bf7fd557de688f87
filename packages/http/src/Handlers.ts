// The handlers of every group of the API.
import { Layer } from "effect"
import * as Auth from "./Auth.ts"
import * as Validation from "./Validation.ts"

/** What every group needs around it. */
export const middlewares = Layer.mergeAll(Auth.layer, Validation.layer)

/** One line a group. */
const groups = Layer.mergeAll(Layer.empty)

export const handlers = groups.pipe(Layer.provideMerge(middlewares))
