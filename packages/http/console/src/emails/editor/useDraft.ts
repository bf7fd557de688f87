// The draft of an open email or template. It survives a reload and the sign-in above the page: the tab stores its changes.
import { storeDraft } from "../../api/drafts.ts"
import { useMutationOf } from "../../api/mutations.ts"
import { useEffect, useRef, useState } from "react"
import { paramsOf } from "./calls.ts"
import {
  begin,
  type Changes,
  changesOf,
  type Content,
  type Design,
  type Draft,
  fromStored,
  isChanged,
  rebased,
  saved,
  toStored,
} from "../draft.ts"
import { type Fields, type Kind, payloadOf } from "../written.ts"

const keyOf = (kind: Kind, id: string): string => `tentpole-draft:${kind}:${id}`

interface Held {
  readonly draft: Draft
  /** The stored state that the draft knows. */
  readonly seen: Content
}

export const useDraft = (kind: Kind, id: string, stored: Content) => {
  const key = keyOf(kind, id)
  const [held, setHeld] = useState<Held>(() => ({
    draft: fromStored(sessionStorage.getItem(key), stored),
    seen: stored,
  }))
  if (held.seen !== stored) setHeld({ draft: rebased(held.draft, stored), seen: stored })
  const { draft } = held
  useEffect(() => storeDraft(key, toStored(draft)), [draft, key])
  const change = (next: (draft: Draft) => Draft) => setHeld((before) => ({ ...before, draft: next(before.draft) }))
  return {
    draft,
    isChanged: isChanged(draft),
    /** Code that a person writes has no design. */
    setHtml: (html: string) => change((before) => ({ ...before, html, design: null })),
    setBlocks: (html: string, design: Design) => change((before) => ({ ...before, html, design })),
    setField: (name: keyof Fields, text: string) =>
      change((before) => ({ ...before, fields: { ...before.fields, [name]: text } })),
    /** Forgets the changes. */
    reset: () => change(({ base }) => begin(base)),
    /** Replaces the base by what was sent: parts that are typed meanwhile stay changes. */
    markSaved: (sent: Changes) => change((before) => saved(before, sent)),
  }
}

export type OpenDraft = ReturnType<typeof useDraft>

/** Stores the changes: the fields, then the HTML as a new version. */
export const useSave = (kind: Kind, id: string, { draft, markSaved }: OpenDraft) => {
  const params = paramsOf(id)
  const sent = useRef<Changes>({ fields: {} })
  // Before the stored state is requested again: until then it is what was sent.
  const onFields = { onDone: () => markSaved({ fields: sent.current.fields }) }
  const rename = useMutationOf("tentTemplates", "rename", onFields)
  const update = useMutationOf("emails", "update", onFields)
  const updateTemplate = useMutationOf("emailTemplates", "update", onFields)
  const content = useMutationOf(kind, "setContent", {
    onDone: () => markSaved({ ...sent.current, fields: {} }),
  })
  const patch = { emails: update, emailTemplates: updateTemplate, tentTemplates: rename }[kind]
  /** Whether all is stored. A refusal is in `error`. */
  const save = async (): Promise<boolean> => {
    const changes = changesOf(draft)
    sent.current = changes
    patch.reset()
    content.reset()
    try {
      if (Object.keys(changes.fields).length > 0) {
        await patch.mutateAsync({ params, payload: payloadOf(kind, changes.fields) })
      }
      const { design = null, html } = changes
      if (html !== undefined) await content.mutateAsync({ params, payload: { html, design } })
      return true
    } catch {
      return false
    }
  }
  return { save, isSaving: patch.isPending || content.isPending, error: patch.error ?? content.error }
}
