// Exports the members of a list.
import type { ContactList } from "@tentpole/client"
import { api } from "../api/client.ts"
import { ExportButton } from "../parts/ExportButton.tsx"

export const ExportMembers = ({ list }: { readonly list: ContactList }) => {
  const params = { listId: list.list_id }
  return (
    <ExportButton
      of={[list.list_id]}
      begin={() => api.listExports.begin({ params })}
      find={(exportId, signal) => api.listExports.find({ params: { ...params, exportId } }, { signal })}
    />
  )
}
