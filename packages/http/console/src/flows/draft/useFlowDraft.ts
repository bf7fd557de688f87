// The draft of an open flow. It survives a reload and the sign-in above the page: the tab stores its changes.
import type { Flow } from "@tentpole/client"
import { useEffect, useMemo, useRef, useState } from "react"
import { storeDraft } from "../../api/drafts.ts"
import { useMutationOf } from "../../api/mutations.ts"
import { problemOf } from "../../api/problems.ts"
import {
  discard,
  edit,
  type FlowDraft,
  fromStored,
  isChanged,
  isSame,
  rebased,
  redo,
  saved,
  toStored,
  undo,
} from "./flowDraft.ts"
import { type Issues, noIssues, placed } from "./issues.ts"
import type { Structure } from "./steps.ts"

const keyOf = (flowId: string): string => `tentpole-draft:flow:${flowId}`

interface Held {
  readonly draft: FlowDraft
  /** The stored state that the draft knows. */
  readonly seen: Structure
  /** The stored flow was changed elsewhere while the draft had changes. */
  readonly isOvertaken: boolean
}

export const useFlowDraft = ({ flow_id, steps, triggers }: Flow) => {
  const key = keyOf(flow_id)
  const stored = useMemo(() => ({ triggers, steps }), [triggers, steps])
  const [held, setHeld] = useState<Held>(() => ({
    draft: fromStored(sessionStorage.getItem(key), stored),
    seen: stored,
    isOvertaken: false,
  }))
  if (held.seen !== stored) {
    const draft = rebased(held.draft, stored)
    const isOther = isChanged(draft) && !isSame(held.draft.base, stored)
    setHeld({ draft, seen: stored, isOvertaken: isOther || (held.isOvertaken && isChanged(draft)) })
  }
  const { draft, isOvertaken } = held
  useEffect(() => storeDraft(key, toStored(draft)), [draft, key])
  const change = (next: (draft: FlowDraft) => FlowDraft) =>
    setHeld((before) => {
      const after = next(before.draft)
      return { ...before, draft: after, isOvertaken: before.isOvertaken && isChanged(after) }
    })
  return {
    draft,
    isOvertaken,
    isChanged: isChanged(draft),
    /** `field` names what is typed: its letters are one edit. */
    edit: (next: (structure: Structure) => Structure, field?: string) =>
      change((before) => edit(before, next(before.present), field)),
    undo: () => change(undo),
    redo: () => change(redo),
    discard: () => change(discard),
    markSaved: (sent: Partial<Structure>, now: Partial<Structure>) => change((before) => saved(before, sent, now)),
  }
}

export type OpenDraft = ReturnType<typeof useFlowDraft>

export interface Refused {
  readonly issues: Issues
  readonly then: Structure
}

/** Stores the changed parts: steps, then triggers. What a refusal names is in `refused`. */
export const useFlowSave = (flowId: string, { draft, markSaved }: OpenDraft) => {
  const params = { flowId }
  const sent = useRef<Structure>(draft.present)
  const [refused, setRefused] = useState<Refused>({ issues: noIssues, then: draft.base })
  const steps = useMutationOf("flows", "setSteps", {
    onDone: (flow) => markSaved({ steps: sent.current.steps }, { steps: flow.steps }),
  })
  const triggers = useMutationOf("flows", "setTriggers", {
    onDone: (flow) => markSaved({ triggers: sent.current.triggers }, { triggers: flow.triggers }),
  })
  /** Whether all is stored. */
  const save = async (): Promise<boolean> => {
    const { base, present } = draft
    sent.current = present
    steps.reset()
    triggers.reset()
    try {
      if (!isSame(base.steps, present.steps)) await steps.mutateAsync({ params, payload: { steps: present.steps } })
      if (!isSame(base.triggers, present.triggers)) {
        await triggers.mutateAsync({ params, payload: { triggers: present.triggers } })
      }
      setRefused({ issues: noIssues, then: present })
      return true
    } catch (error) {
      setRefused({ issues: placed(problemOf(error).issues, present), then: present })
      return false
    }
  }
  return { save, refused, isSaving: steps.isPending || triggers.isPending, error: steps.error ?? triggers.error }
}
