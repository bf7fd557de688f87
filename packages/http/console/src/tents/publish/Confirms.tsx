// The questions before a page is taken offline or deleted.
import type { Tent } from "@tentpole/client"
import { useNavigate } from "@tanstack/react-router"
import { useMutationOf } from "../../api/mutations.ts"
import { Confirm } from "../../parts/Confirm.tsx"
import { useWords } from "../../words/Words.tsx"
import { shortAddress } from "../tent.ts"

interface Props {
  readonly tent: Tent
  readonly open: "unpublish" | "delete"
  readonly onClose: () => void
}

export const Confirms = ({ onClose, open, tent }: Props) => {
  const words = useWords("tents")
  const navigate = useNavigate()
  const params = { tentId: tent.id }
  const unpublish = useMutationOf("tents", "unpublish", { done: () => words.unpublished, onDone: onClose })
  const remove = useMutationOf("tents", "remove", {
    done: () => words.deleted(tent.name),
    onDone: () => navigate({ to: "/tents" }),
  })
  const address = shortAddress(tent.publication?.published_url ?? "")
  return open === "unpublish" ? (
    <Confirm
      title={words.unpublishTitle}
      text={words.unpublishText(address)}
      action={words.unpublishAction}
      isPending={unpublish.isPending}
      error={unpublish.error}
      onClose={onClose}
      onConfirm={() => unpublish.mutate({ params })}
    />
  ) : (
    <Confirm
      title={words.deleteTitle(tent.name)}
      text={words.deleteText}
      action={words.deleteAction}
      typed={tent.name}
      isPending={remove.isPending}
      error={remove.error}
      onClose={onClose}
      onConfirm={() => remove.mutate({ params })}
    />
  )
}
