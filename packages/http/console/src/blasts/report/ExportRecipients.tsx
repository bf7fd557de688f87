// Exports the recipients of a category.
import type { Blast } from "@tentpole/client"
import { api } from "../../api/client.ts"
import { ExportButton } from "../../parts/ExportButton.tsx"
import type { Category } from "../search.ts"

interface Props {
  readonly blast: Blast
  readonly category: Category
}

export const ExportRecipients = ({ blast, category }: Props) => {
  const params = { blastId: blast.blast_id }
  return (
    <ExportButton
      of={[blast.blast_id, category]}
      begin={() => api.blastExports.begin({ params, payload: { category } })}
      find={(exportId, signal) => api.blastExports.find({ params: { ...params, exportId } }, { signal })}
    />
  )
}
