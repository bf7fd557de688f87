// What the installation does not do: a bar above the screens while sending is held, and notes at the foot of the side.
import { Alert } from "@mantine/core"
import { Link, useRouter } from "@tanstack/react-router"
import { PauseIcon } from "../Icons.tsx"
import { useSession } from "../session.tsx"
import { useWords } from "../words/Words.tsx"

export const HeldBar = () => {
  const words = useWords("shell").notices
  const { workspace } = useSession()
  if (workspace?.sending !== "held") return null
  return (
    <Alert color="yellow" radius={0} icon={<PauseIcon />} role="status">
      {words.held}
    </Alert>
  )
}

export const SideNotes = () => {
  const words = useWords("shell").notices
  const { workspace } = useSession()
  const { routesByPath } = useRouter()
  const hasFiles = workspace?.mail === "files"
  const hasSamples = workspace?.ai === "sample"
  if (!hasFiles && !hasSamples) return null
  const inbox = "/inbox"
  return (
    <div className="notes">
      {hasFiles && (
        <p className="status" data-tone="warning">
          {Object.hasOwn(routesByPath, inbox) ? <Link to={inbox}>{words.files}</Link> : words.files}
        </p>
      )}
      {hasSamples && (
        <p className="status" data-tone="warning">
          {words.sample}
        </p>
      )}
    </div>
  )
}
