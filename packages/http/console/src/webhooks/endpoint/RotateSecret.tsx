// Another secret for an endpoint: how long the one before still signs, then the new one, which is shown once.
import { Alert, NativeSelect, Stack, Text } from "@mantine/core"
import { useState } from "react"
import { useMutationOf } from "../../api/mutations.ts"
import { WarningIcon } from "../../Icons.tsx"
import { CurlButton } from "../../parts/Copy.tsx"
import { FormFooter } from "../../parts/dialogs/FormFooter.tsx"
import { Modal } from "../../parts/dialogs/Modal.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { useWords } from "../../words/Words.tsx"
import { SecretDialog } from "../form/SecretDialog.tsx"
import type { DialogProps } from "./Dialogs.tsx"
import { Until } from "./Until.tsx"

const overlaps_h = [0, 1, 24, 72, 168] as const
const usual_h = 24

export const RotateSecret = ({ endpoint, onClose }: DialogProps) => {
  const words = useWords("webhooks")
  const { close } = useWords("shell")
  const [overlap_hours, setOverlap] = useState<number>(usual_h)
  const rotate = useMutationOf("webhookEndpoints", "rotateSecret")
  const { data } = rotate
  if (data !== undefined) {
    const end = data.previous_secret_expires_at
    return (
      <SecretDialog title={words.rotated} secret={data.secret} onClose={onClose}>
        <Text size="sm">
          {end === null ? (
            words.oldSecretOver
          ) : (
            <Until at={end} text={words.oldSecretLeft} over={words.oldSecretOver} />
          )}
        </Text>
      </SecretDialog>
    )
  }
  const request = { params: { endpointId: endpoint.endpoint_id }, payload: { overlap_hours } }
  const before = endpoint.previous_secret_expires_at
  return (
    <Modal opened onClose={onClose} title={words.rotateTitle} closeButtonProps={{ "aria-label": close }}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (!rotate.isPending) rotate.mutate(request)
        }}
      >
        <Stack>
          <Text size="sm">{words.rotateText}</Text>
          <NativeSelect
            label={words.overlap}
            description={words.overlapText}
            data-autofocus
            value={String(overlap_hours)}
            data={overlaps_h.map((hours) => ({ value: String(hours), label: words.overlaps(hours) }))}
            onChange={({ currentTarget }) => setOverlap(Number(currentTarget.value))}
          />
          {before !== null && (
            <Alert color="yellow" icon={<WarningIcon />}>
              {words.thirdSecret}
            </Alert>
          )}
          {rotate.isError && <Problem error={rotate.error} />}
          <FormFooter
            beside={<CurlButton call={["webhookEndpoints", "rotateSecret", request]} />}
            action={words.rotate}
            isPending={rotate.isPending}
            onClose={onClose}
          />
        </Stack>
      </form>
    </Modal>
  )
}
