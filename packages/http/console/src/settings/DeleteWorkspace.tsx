// The question before the workspace is deleted: its slug has to be typed.
import { useAdminMutationOf } from "../api/mutations.ts"
import { slug } from "../api/client.ts"
import { Confirm } from "../parts/Confirm.tsx"
import { useSession } from "../session.tsx"
import { useWords } from "../words/Words.tsx"
import { useWorkspaceParams } from "./useSettings.ts"

interface Props {
  readonly onClose: () => void
}

export const DeleteWorkspace = ({ onClose }: Props) => {
  const words = useWords("settings").workspace
  const { membership } = useSession()
  const params = useWorkspaceParams()
  const remove = useAdminMutationOf("workspaces", "remove", { onDone: () => location.assign("/") })
  return (
    <Confirm
      title={words.deleteTitle(membership.name)}
      text={words.deleteText}
      action={words.deleteAction}
      typed={slug}
      isPending={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate({ params, query: { confirm: slug } })}
      onClose={onClose}
    />
  )
}
