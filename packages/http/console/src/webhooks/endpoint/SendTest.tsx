// A test of an endpoint: the example of a type is sent once, and its delivery is shown.
import { Code, Stack, Text } from "@mantine/core"
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { useMutationOf } from "../../api/mutations.ts"
import { CurlButton } from "../../parts/Copy.tsx"
import { FormFooter } from "../../parts/dialogs/FormFooter.tsx"
import { Modal } from "../../parts/dialogs/Modal.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { useWords } from "../../words/Words.tsx"
import { TypeSelect } from "../TypeSelect.tsx"
import { test_type } from "../patterns.ts"
import { useCatalogue } from "../useEventTypes.ts"
import type { DialogProps } from "./Dialogs.tsx"

const indent = 2

export const SendTest = ({ endpoint, onClose }: DialogProps) => {
  const words = useWords("webhooks")
  const { close } = useWords("shell")
  const navigate = useNavigate()
  const [type, setType] = useState<string>(test_type)
  const types = useCatalogue().data?.event_types ?? []
  const chosen = types.find((each) => each.type === type)
  const params = { endpointId: endpoint.endpoint_id }
  const test = useMutationOf("webhookEndpoints", "test", {
    onDone: ({ delivery_id: deliveryId }) =>
      navigate({ to: "/webhooks/$endpointId/deliveries/$deliveryId", params: { ...params, deliveryId } }),
  })
  const request = { params, payload: chosen === undefined ? {} : { event_type: chosen.type } }
  return (
    <Modal opened onClose={onClose} title={words.testTitle} closeButtonProps={{ "aria-label": close }}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (!test.isPending) test.mutate(request)
        }}
      >
        <Stack>
          <Text size="sm">{words.testText}</Text>
          <TypeSelect label={words.eventType} value={type} onChange={setType} hasAutofocus />
          {chosen !== undefined && (
            <div>
              <Text size="sm" fw={550} mb={4}>
                {words.example}
              </Text>
              <Code block className="curl" tabIndex={0} role="region" aria-label={words.example}>
                {JSON.stringify(chosen.example, null, indent)}
              </Code>
            </div>
          )}
          {test.isError && <Problem error={test.error} />}
          <FormFooter
            beside={<CurlButton call={["webhookEndpoints", "test", request]} />}
            action={words.test}
            isPending={test.isPending}
            onClose={onClose}
          />
        </Stack>
      </form>
    </Modal>
  )
}
