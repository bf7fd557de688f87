// The open flow, for all components of its screen: its draft, its issues, and what is chosen.
import type { Flow } from "@tentpole/client"
import { createContext, useContext } from "react"
import { dark, type Lit } from "../simulation/playback.ts"
import { addStep } from "./edits.ts"
import type { Issues } from "./issues.ts"
import type { Names } from "./names.ts"
import { emptyStep, freeId, type Place, type StepType, type Structure } from "./steps.ts"

/** Steps of a flow. The service refuses more. */
export const steps_max = 100
export const triggers_max = 25

/** Where the focus goes after a choice by a key. */
export const panel_title_id = "flow-panel-title"

export type Chosen = { readonly step: string } | { readonly trigger: number } | null

export interface Editing {
  readonly flow: Flow
  /** As it is in the draft. */
  readonly structure: Structure
  /** As it is stored. */
  readonly base: Structure
  readonly isReadOnly: boolean
  /** Members at each step. */
  readonly counts: ReadonlyMap<string, number>
  readonly issues: Issues
  readonly names: Names
  readonly chosen: Chosen
  /** With the focus, the editor of what is chosen takes it. */
  readonly choose: (chosen: Chosen, withFocus?: boolean) => void
  /** `field` names what is typed: its letters are one edit. */
  readonly edit: (change: (structure: Structure) => Structure, field?: string) => void
  readonly isChanged: boolean
  /** Saves the changes, if there are any, and goes on once they are stored. */
  readonly whenSaved: (then: () => void) => void
}

const EditingContext = createContext<Editing | null>(null)

export const EditingProvider = EditingContext.Provider

export const useEditing = (): Editing => {
  const editing = useContext(EditingContext)
  if (editing === null) throw new Error("useEditing is called outside of a flow")
  return editing
}

const LitContext = createContext<Lit>(dark)

export const LitProvider = LitContext.Provider

/** What a simulation lights. */
export const useLit = (): Lit => useContext(LitContext)

/** Adds a step at a place and chooses it. */
export const useAddStep = () => {
  const { base, choose, edit, structure } = useEditing()
  return (type: StepType, place: Place) => {
    const taken = new Set([...base.steps, ...structure.steps].map(({ step_id }) => step_id))
    const id = freeId(type, taken)
    edit((before) => addStep(before, emptyStep(type, id), place))
    choose({ step: id }, true)
  }
}
