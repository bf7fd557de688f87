// The versions of an email or a template: what each changed, and the way back.
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { useMutationOf } from "../../api/mutations.ts"
import { queryOf } from "../../api/queries.ts"
import { CurlButton } from "../../parts/Copy.tsx"
import { Compared } from "../../parts/versions/Compared.tsx"
import { versions_max, VersionsDialog } from "../../parts/versions/VersionsDialog.tsx"
import { useWords } from "../../words/Words.tsx"
import type { Kind, Written } from "../written.ts"
import { contentOf, designedOf, paramsOf } from "./calls.ts"

interface Props {
  readonly kind: Kind
  readonly written: Written
  readonly onClose: () => void
}

export const Versions = ({ kind, onClose, written }: Props) => {
  const words = useWords("emails")
  const { id, version: current } = written
  const params = paramsOf(id)
  const [chosen, setChosen] = useState(Math.max(1, current - 1))
  // With its design: a version that was written with blocks stays one.
  const { data: old } = useQuery(designedOf(kind, id, chosen))
  const restore = useMutationOf(kind, "setContent", { done: () => words.restored(chosen), onDone: onClose })
  return (
    <VersionsDialog
      listed={useQuery(queryOf(kind, "versions", { params, query: { limit: versions_max } }))}
      current={current}
      approved={words.states.approved}
      chosen={chosen}
      onChoose={setChosen}
      curl={
        <CurlButton
          call={
            kind === "emails"
              ? ["emails", "versions", { params: { emailId: id } }]
              : [kind, "versions", { params: { templateId: id } }]
          }
        />
      }
      restore={restore}
      onRestore={
        old === undefined ? null : () => restore.mutate({ params, payload: { html: old.html, design: old.design } })
      }
      onClose={onClose}
    >
      <Compared chosen={chosen} current={current} contentOf={(version) => contentOf(kind, id, version)} />
    </VersionsDialog>
  )
}
