// The head of a page: its name, state and address, and what can be done with it.
import { ActionIcon, Anchor, Button } from "@mantine/core"
import type { Tent } from "@tentpole/client"
import { lazy, type Ref, Suspense, useState } from "react"
import { DotsIcon, ExternalIcon, SparkIcon } from "../Icons.tsx"
import { BackLink } from "../parts/BackLink.tsx"
import { CopyButton, CurlButton } from "../parts/Copy.tsx"
import { OnDemand } from "../parts/OnDemand.tsx"
import { PageHeader } from "../parts/PageHeader.tsx"
import { StatusBadge } from "../parts/StatusBadge.tsx"
import { useSession } from "../session.tsx"
import { useWords } from "../words/Words.tsx"
import { hasUnpublished, isWorking, shortAddress, stateOf, tentTones } from "./tent.ts"

const Confirms = lazy(async () => ({ default: (await import("./publish/Confirms.tsx")).Confirms }))
const Publish = lazy(async () => ({ default: (await import("./publish/Publish.tsx")).Publish }))
const Rename = lazy(async () => ({ default: (await import("./publish/Rename.tsx")).Rename }))
const Revise = lazy(async () => ({ default: (await import("./page/Revise.tsx")).Revise }))
const TentMenu = lazy(async () => ({ default: (await import("./publish/TentMenu.tsx")).TentMenu }))
const Versions = lazy(async () => ({ default: (await import("./page/Versions.tsx")).Versions }))

export type Dialog = "publish" | "revise" | "versions" | "rename" | "unpublish" | "delete" | null

interface TargetProps {
  readonly onClick: () => void
  readonly ref?: Ref<HTMLButtonElement>
}

export const MoreTarget = (props: TargetProps) => {
  const shell = useWords("shell")
  return (
    <ActionIcon {...props} variant="default" size="lg" aria-label={shell.more} aria-haspopup="menu">
      <DotsIcon />
    </ActionIcon>
  )
}

const Address = ({ tent }: { readonly tent: Tent }) => {
  const words = useWords("tents")
  const url = tent.publication?.published_url
  if (url === undefined) return <>{tent.current_version === 0 ? words.noPage : words.version(tent.current_version)}</>
  return (
    <>
      <Anchor href={url} target="_blank" rel="noreferrer" size="sm" className="break">
        {shortAddress(url)} <ExternalIcon size={13} />
      </Anchor>{" "}
      <CopyButton value={url} label={words.address} />
    </>
  )
}

interface DialogsProps {
  readonly tent: Tent
  readonly open: Dialog
  readonly onClose: () => void
}

const Dialogs = ({ onClose, open, tent }: DialogsProps) => (
  <Suspense fallback={null}>
    {open === "publish" && <Publish tent={tent} onClose={onClose} />}
    {open === "revise" && <Revise tent={tent} onClose={onClose} />}
    {open === "versions" && <Versions tent={tent} onClose={onClose} />}
    {open === "rename" && <Rename tent={tent} onClose={onClose} />}
    {(open === "unpublish" || open === "delete") && <Confirms tent={tent} open={open} onClose={onClose} />}
  </Suspense>
)

export const TentHead = ({ tent }: { readonly tent: Tent }) => {
  const words = useWords("tents")
  const { may } = useSession()
  const [open, setOpen] = useState<Dialog>(null)
  const state = stateOf(tent)
  const hasPage = tent.current_version > 0
  const isNew = state !== "published" || hasUnpublished(tent)
  return (
    <>
      <PageHeader
        above={<BackLink to="/tents" label={words.title} />}
        title={tent.name}
        beside={<StatusBadge tone={tentTones[state]} label={words.states[state]} />}
        text={<Address tent={tent} />}
        actions={
          <>
            <CurlButton call={["tents", "show", { params: { tentId: tent.id } }]} />
            {may("editor") && hasPage && (
              <Button
                variant="default"
                leftSection={<SparkIcon size={16} />}
                disabled={isWorking(tent)}
                onClick={() => setOpen("revise")}
              >
                {words.askAi}
              </Button>
            )}
            {may("sender") && hasPage && (
              <Button variant={isNew ? "filled" : "default"} onClick={() => setOpen("publish")}>
                {state !== "published"
                  ? words.publish
                  : hasUnpublished(tent)
                    ? words.publishAgain
                    : words.changeAddress}
              </Button>
            )}
            <OnDemand button={(onClick) => <MoreTarget onClick={onClick} />}>
              <TentMenu tent={tent} onOpen={setOpen} />
            </OnDemand>
          </>
        }
      />
      <Dialogs tent={tent} open={open} onClose={() => setOpen(null)} />
    </>
  )
}
