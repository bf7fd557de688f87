// The question before the local mail of the workspace is deleted.
import { useMutationOf } from "../api/mutations.ts"
import { Confirm } from "../parts/Confirm.tsx"
import { useWords } from "../words/Words.tsx"

export const ClearInbox = ({ onClose }: { readonly onClose: () => void }) => {
  const words = useWords("inbox")
  const clear = useMutationOf("outbox", "clear", { done: () => words.cleared, onDone: onClose })
  return (
    <Confirm
      title={words.clearTitle}
      text={words.clearText}
      action={words.clearAction}
      isPending={clear.isPending}
      error={clear.error}
      onClose={onClose}
      onConfirm={() => clear.mutate({})}
    />
  )
}
