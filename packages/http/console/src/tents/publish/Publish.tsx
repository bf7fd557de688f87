// Publishes a page, or gives it another address. Afterwards the address is shown, to be copied, with what differs from the request.
import { Alert, Anchor, Button, Checkbox, Group, List, Stack, Text, TextInput } from "@mantine/core"
import type { PublishedTent, Tent } from "@tentpole/client"
import { useQuery } from "@tanstack/react-query"
import { type SyntheticEvent, useState } from "react"
import { useMutationOf } from "../../api/mutations.ts"
import { problemOf } from "../../api/problems.ts"
import { queryOf } from "../../api/queries.ts"
import { WarningIcon } from "../../Icons.tsx"
import { CopyButton, CurlButton } from "../../parts/Copy.tsx"
import { Modal } from "../../parts/dialogs/Modal.tsx"
import { useIsPhone } from "../../parts/phone.ts"
import { Problem } from "../../parts/Problem.tsx"
import { useWords } from "../../words/Words.tsx"
import { aliasFrom, shortAddress } from "../tent.ts"
import { FormFooter } from "../../parts/dialogs/FormFooter.tsx"

const alias_max = 100

interface DoneProps {
  readonly published: PublishedTent
  readonly onClose: () => void
}

const Done = ({ onClose, published: { live_version, publication } }: DoneProps) => {
  const words = useWords("tents")
  const shell = useWords("shell")
  const texts: Readonly<Record<string, string>> = words.warnings
  const url = publication.published_url ?? ""
  return (
    <Stack>
      <Text size="sm" role="status">
        {words.publishedNow(live_version ?? 1)}
      </Text>
      <Group gap="xs" wrap="nowrap">
        <Anchor href={url} target="_blank" rel="noreferrer" className="break">
          {shortAddress(url)}
        </Anchor>
        <CopyButton value={url} label={words.address} />
      </Group>
      {(publication.warnings ?? []).length > 0 && (
        <Alert color="yellow" icon={<WarningIcon />} title={words.warningsTitle} role="alert">
          <List size="sm">
            {publication.warnings?.map(({ code, message }) => (
              <List.Item key={code}>{texts[code] ?? message}</List.Item>
            ))}
          </List>
        </Alert>
      )}
      <Group justify="flex-end">
        <Button onClick={onClose}>{shell.done}</Button>
      </Group>
    </Stack>
  )
}

/** An alias of the person, the root, or the default address. */
const aliasOf = (text: string): string | null => (text.trim() === "" ? null : text.trim())

/** What the field says of a refused alias. */
const aliasError = (error: unknown): string | undefined => {
  const { code, issues, message } = problemOf(error)
  if (code === "alias_taken") return message ?? undefined
  return issues.find(({ path }) => path === "custom_page_alias")?.message
}

const Form = ({ onClose, onDone, tent }: Props & { readonly onDone: (published: PublishedTent) => void }) => {
  const words = useWords("tents")
  const workspace = useQuery(queryOf("workspace", "find", {}))
  const applied = tent.publication?.applied_custom_page_alias ?? tent.publication?.requested_custom_page_alias
  const isFirst = tent.publication === undefined
  const [alias, setAlias] = useState(applied ?? (isFirst ? aliasFrom(tent.name) : ""))
  const [isBare, setBare] = useState(false)
  const mayBeBare = workspace.data?.limits.branding_removable === true
  const publish = useMutationOf("tents", "publish", { onDone })
  const request = {
    params: { tentId: tent.id },
    payload: { custom_page_alias: aliasOf(alias), ...(isBare ? { remove_branding: true } : {}) },
  }
  const wrong = aliasError(publish.error)
  const submit = (event: SyntheticEvent) => {
    event.preventDefault()
    publish.mutate(request)
  }
  const releases = typeof applied === "string" && aliasOf(alias) !== applied
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <Text size="sm">{words.publishText(tent.current_version)}</Text>
        <TextInput
          label={words.alias}
          description={words.aliasText}
          placeholder={words.defaultAddress}
          maxLength={alias_max}
          data-autofocus
          value={alias}
          error={wrong}
          onChange={({ currentTarget }) => setAlias(currentTarget.value)}
        />
        {releases && (
          <Alert color="yellow" icon={<WarningIcon />} py={8}>
            {words.releases(applied)}
          </Alert>
        )}
        <Checkbox
          label={words.bare}
          description={mayBeBare ? undefined : words.bareText}
          checked={isBare}
          onChange={({ currentTarget }) => setBare(currentTarget.checked)}
        />
        {publish.isError && wrong === undefined && <Problem error={publish.error} />}
        <FormFooter
          beside={<CurlButton call={["tents", "publish", request]} />}
          action={words.publishAction}
          isPending={publish.isPending}
          onClose={onClose}
        />
      </Stack>
    </form>
  )
}

interface Props {
  readonly tent: Tent
  readonly onClose: () => void
}

export const Publish = ({ onClose, tent }: Props) => {
  const words = useWords("tents")
  const shell = useWords("shell")
  const isPhone = useIsPhone()
  const [published, setPublished] = useState<PublishedTent | null>(null)
  return (
    <Modal
      opened
      onClose={onClose}
      title={published === null ? words.publish : words.publishedTitle}
      fullScreen={isPhone}
      closeButtonProps={{ "aria-label": shell.close }}
    >
      {published === null ? (
        <Form tent={tent} onClose={onClose} onDone={setPublished} />
      ) : (
        <Done published={published} onClose={onClose} />
      )}
    </Modal>
  )
}
