// Why no person can be asked to confirm, and where that is set.
import { Alert } from "@mantine/core"
import { Link } from "@tanstack/react-router"
import { WarningIcon } from "../../Icons.tsx"
import { useSession } from "../../session.tsx"
import { useWords } from "../../words/Words.tsx"
import type { Draft } from "./draft.ts"
import { problemsOf } from "./draft.ts"
import { type SenderLack, senderLackOf } from "./sender.ts"

/** What has to be mended before the import can start, also in the workspace. */
export const useProblems = (draft: Draft) => {
  const { workspace } = useSession()
  return problemsOf(draft, workspace === undefined ? null : senderLackOf(workspace))
}

const paths = { from_address: "/settings/sender", sender_domain: "/domains" } as const

export const SenderMissing = ({ lack }: { readonly lack: SenderLack }) => {
  const { consent: words } = useWords("imports")
  return (
    <Alert color="yellow" icon={<WarningIcon />} role="status" title={words.noMail}>
      {words.lacks[lack]}{" "}
      <Link to={paths[lack]} className="link inline">
        {words.lackLinks[lack]}
      </Link>
    </Alert>
  )
}
