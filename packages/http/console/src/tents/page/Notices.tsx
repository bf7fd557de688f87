// What a person has to know of a page: sample text, a newer version than the public one, and what differs from the request.
import { Alert, List } from "@mantine/core"
import type { Tent } from "@tentpole/client"
import { InfoIcon, RefusedIcon, WarningIcon } from "../../Icons.tsx"
import { useWords } from "../../words/Words.tsx"
import { hasUnpublished } from "../tent.ts"

const Warnings = ({ tent }: { readonly tent: Tent }) => {
  const words = useWords("tents")
  const warnings = tent.publication?.warnings ?? []
  if (warnings.length === 0 || tent.publication?.status !== "published") return null
  const texts: Readonly<Record<string, string>> = words.warnings
  return (
    <Alert mb="md" color="yellow" icon={<WarningIcon />} title={words.warningsTitle}>
      <List size="sm">
        {warnings.map(({ code, message }) => (
          <List.Item key={code}>
            {texts[code] ?? message} {code !== "branding_required" && message}
          </List.Item>
        ))}
      </List>
    </Alert>
  )
}

export const Notices = ({ tent }: { readonly tent: Tent }) => {
  const words = useWords("tents")
  const error = tent.publication?.status === "failed" ? tent.publication.error : undefined
  return (
    <>
      {tent.generated_by === "sample" && tent.current_version > 0 && (
        <Alert mb="md" color="yellow" icon={<InfoIcon />} title={words.sampleTitle} py={8}>
          {words.sampleText}
        </Alert>
      )}
      {error !== undefined && (
        <Alert mb="md" color="red" icon={<RefusedIcon />} title={words.notPublished} role="alert">
          {error.message}
        </Alert>
      )}
      <Warnings tent={tent} />
      {hasUnpublished(tent) && (
        <Alert mb="md" color="gray" icon={<InfoIcon />} py={8}>
          {words.newer(tent.live_version ?? 0, tent.current_version)}
        </Alert>
      )}
    </>
  )
}
