// Generated from openapi.json by `npm run web:types`. Not to be edited.

export interface paths {
    "/v1/auth/email/request": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Send a single-use sign-in code by email */
        post: operations["request_email_code"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/email/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Sign in or sign up with an emailed code */
        post: operations["verify_email_code"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/idp/request": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Get a nonce for a sign-in with an identity provider */
        post: operations["request_provider_sign_in"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/idp": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Sign in or sign up with a token of an identity provider */
        post: operations["sign_in_with_provider"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/mfa/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Complete a sign-in with a second factor */
        post: operations["verify_second_factor"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Sign out by revoking the current session */
        delete: operations["sign_out"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/session/proof": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Carry a sign-in that you have just made over to this session
         * @description For what answers 403 `recent_sign_in_required`. Sign in again in any way, and send the new session token here with the session that you want to keep. That session then counts as signed in when the new one was, and has the new token: use it from now on, because the old token ends. A sign-in to another account ends and is refused.
         */
        post: operations["prove_sign_in"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List your active sessions, newest first */
        get: operations["list_sessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/sessions/names": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List where your active sessions signed in: browser and system, newest first */
        get: operations["list_session_names"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/sessions/names/{session_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Rename one of your sessions */
        patch: operations["rename_session"];
        trace?: never;
    };
    "/v1/auth/sessions/{session_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Revoke one of your sessions */
        delete: operations["revoke_session"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/mfa/enroll": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start setting up an authenticator app
         * @description Needs a session whose sign-in was in the last 15 minutes, so that a stolen older session cannot put a second factor of its own on the account. Otherwise the answer is 403 `recent_sign_in_required`. The second factor stays off until the enrolment is confirmed.
         */
        post: operations["enroll_second_factor"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/mfa/enroll/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Turn on the second factor with a code from the authenticator app */
        post: operations["confirm_second_factor"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/mfa": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the status of the second factor */
        get: operations["second_factor_status"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/mfa/disable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Turn off the second factor with a current code or a recovery code */
        post: operations["disable_second_factor"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/me/address/request": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a code to the new email address of your account
         * @description The answer is the same for every address. One that another account has, or that may have no account here, is mailed a note instead of a code. Needs a sign-in of the last 15 minutes.
         */
        post: operations["request_address_code"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/me/address": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Change the email address of your account with the code
         * @description Ends all other sessions. The former address gets a mail with a link that takes the change back, for seven days; until then nobody else gets that address. Needs a sign-in of the last 15 minutes.
         */
        post: operations["change_address"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/me/second-factor-reset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read whether an administrator has asked to turn off your second factor */
        get: operations["find_second_factor_reset"];
        put?: never;
        post?: never;
        /** Keep your second factor, although an administrator has asked to turn it off */
        delete: operations["stop_second_factor_reset"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/passkey/begin": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Get a challenge that any passkey can sign */
        post: operations["begin_passkey_sign_in"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/passkey": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Sign in with a passkey; no second factor is asked for */
        post: operations["sign_in_with_passkey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/passkeys/begin": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Get a challenge for a new passkey */
        post: operations["begin_passkey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/passkeys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List your passkeys, oldest first */
        get: operations["list_passkeys"];
        put?: never;
        /** Add a passkey to your account */
        post: operations["add_passkey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/passkeys/{passkey_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Remove a passkey; it can no longer sign in */
        delete: operations["remove_passkey"];
        options?: never;
        head?: never;
        /** Rename a passkey */
        patch: operations["rename_passkey"];
        trace?: never;
    };
    "/v1/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List your access tokens and connections, newest first */
        get: operations["list_tokens"];
        put?: never;
        /** Mint an access token for an agent */
        post: operations["mint_token"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tokens/{token_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Revoke an access token or a connection */
        delete: operations["revoke_token"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tokens/{token_id}/shortest-wait": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the shortest wait between nudges that an access token can bring about */
        get: operations["read_shortest_wait"];
        /** Set the shortest wait between nudges that an access token can bring about */
        put: operations["set_shortest_wait"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/connections/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** See who asks to be connected, and where the answer goes */
        post: operations["preview_connection"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/connections": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Agree to a connection, or refuse it */
        post: operations["decide_connection"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read your settings */
        get: operations["read_settings"];
        put?: never;
        post?: never;
        /** Delete your account and all of its data */
        delete: operations["delete_account"];
        options?: never;
        head?: never;
        /** Change your settings; omitted fields keep their values */
        patch: operations["update_settings"];
        trace?: never;
    };
    "/v1/me/timezone": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Change your time zone alone, as an access token may */
        put: operations["set_timezone"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/me/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Pause reminders until an instant, or change the end of the current pause */
        post: operations["pause"];
        /** End the current pause now */
        delete: operations["end_pause"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/me/pause/ack": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Dismiss the welcome-back card after a pause */
        post: operations["acknowledge_pause"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/me/pause/planned": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the pause that is planned */
        get: operations["read_planned_pause"];
        /** Plan a pause that begins later, or replace the planned one */
        put: operations["plan_pause"];
        post?: never;
        /** Cancel the planned pause; a pause that has begun goes on */
        delete: operations["cancel_planned_pause"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/devices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List your devices, newest first */
        get: operations["list_devices"];
        put?: never;
        /** Register a device for nudges, or make it valid again */
        post: operations["register_device"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/devices/la-token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Store the token that starts Live Activities on a device */
        post: operations["keep_start_token"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/devices/ping": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Record that the app is in the foreground on a device */
        post: operations["ping_device"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/devices/{device_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Remove a device */
        delete: operations["remove_device"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/deliveries/ack": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Acknowledge a nudge that the user saw */
        post: operations["acknowledge_nudge"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/devices/test-push": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Send a test push to each of your valid devices */
        post: operations["test_push"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/devices/vapid-key": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the VAPID public key with which browsers subscribe */
        get: operations["read_vapid_key"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{task_id}/la-token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Store the update token of a task's running Live Activity */
        post: operations["report_activity"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/me/access": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List your sessions and everything that outlives them */
        get: operations["list_access"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/me/access/end": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End all other sessions, and what you choose beside them
         * @description All of it ends, or nothing: the last way into the account is refused. With `ids` it needs a sign-in of the last 15 minutes. Identities are not ended here, because their provider would link them again.
         */
        post: operations["sign_out_everywhere"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/channels": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List your channels, and whether nudges can reach you */
        get: operations["list_channels"];
        put?: never;
        /** Set up a channel; it is used once you have confirmed that it is yours */
        post: operations["create_channel"];
        delete?: never;
        options?: never;
        head?: never;
        /** Set how long each tier waits for an answer to the one before it */
        patch: operations["change_fallback"];
        trace?: never;
    };
    "/v1/channels/kinds": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the kinds of channels that this service offers, and what each asks for */
        get: operations["list_channel_kinds"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/channels/{channel_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Remove a channel */
        delete: operations["remove_channel"];
        options?: never;
        head?: never;
        /** Change a channel, or switch it off and on */
        patch: operations["change_channel"];
        trace?: never;
    };
    "/v1/channels/{channel_id}/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Confirm a channel by its code; without one, ask for a code or send the challenge */
        post: operations["verify_channel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/channels/{channel_id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Send a test message through a channel */
        post: operations["test_channel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/me/understudies": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read which messages are held elsewhere, to be shown if the service falls silent */
        get: operations["read_understudies"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List your tasks, the next due first */
        get: operations["list_tasks"];
        put?: never;
        /** Create a task, or assign one to another person */
        post: operations["create_task"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{task_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a task in detail */
        get: operations["read_task"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Change a task; omitted fields keep their values */
        patch: operations["update_task"];
        trace?: never;
    };
    "/v1/tasks/{task_id}/complete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Complete a task, or its current occurrence */
        post: operations["complete_task"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{task_id}/skip": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Skip a task, or its current occurrence, and record it as not done */
        post: operations["skip_task"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{task_id}/snooze": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Snooze a task until an instant */
        post: operations["snooze_task"];
        /** Take back a snooze that still lasts */
        delete: operations["end_snooze"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{task_id}/move": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Move the current occurrence of a task; later ones stay where the rule has them */
        post: operations["move_task"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{task_id}/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** List the next dates of a task as they would be after an edit, without making it */
        post: operations["preview_task"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{task_id}/edit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Change a task in one step, and read what was there before */
        post: operations["edit_task"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{task_id}/assigner": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** End the say of the person who assigned a task to you; the task stays yours */
        delete: operations["end_assignment"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{task_id}/ring-anyway": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Let one nudge of your task pass quiet hours and pauses, at the moment you name */
        post: operations["ring_anyway"];
        /** Let quiet hours and pauses hold that nudge of your task again */
        delete: operations["undo_ring_anyway"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{task_id}/timeline/{entry_id}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Put back what an edit of your task replaced, up to 90 days later */
        post: operations["restore_task"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{task_id}/drop": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Cancel a task without recording an outcome */
        post: operations["drop_task"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{task_id}/accept": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Accept a task that was assigned to you */
        post: operations["accept_task"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{task_id}/decline": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Decline a task that was assigned to you */
        post: operations["decline_task"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{task_id}/reopen": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Undo the last complete, skip or drop of a task */
        post: operations["reopen_task"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/batches": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the bulk changes of the last day that can be taken back */
        get: operations["list_batches"];
        put?: never;
        /** Complete, skip or drop several tasks, so that one call can take it back */
        post: operations["close_tasks"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/batches/{batch_id}/undo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Take back a bulk change of the last 24 hours */
        post: operations["undo_batch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/requests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the requests that wait for an answer, to you and from you */
        get: operations["list_requests"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{task_id}/ask": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Take a request back and ask another member of the space, or do it yourself */
        post: operations["ask_other"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/me/request-messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read whether messages about requests are sent to you */
        get: operations["read_request_messages"];
        /** Switch messages about requests on or off */
        put: operations["set_request_messages"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/labels": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the colours of your labels */
        get: operations["list_label_colours"];
        /** Choose colours for some of your labels; the others keep theirs */
        put: operations["set_label_colours"];
        post?: never;
        /** Delete the colour of a label, which then has the one that its letters give it */
        delete: operations["delete_label_colour"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Search your own tasks; the answer also says whose words each task is */
        get: operations["search_tasks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agenda": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List what is due, repeats, nudges or was missed on some days, in order of time */
        get: operations["read_agenda"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{task_id}/forecast": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the upcoming nudges of a task and what holds them */
        get: operations["forecast_task"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{task_id}/timeline": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the timeline of a task, newest entry first */
        get: operations["read_timeline"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{task_id}/ladder": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read which ladder a task has, and why */
        get: operations["read_task_ladder"];
        /** Choose the ladder of your task; it holds from the next nudge on */
        put: operations["set_task_ladder"];
        post?: never;
        /** Let the label of your task or your default choose its ladder again */
        delete: operations["unset_task_ladder"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{task_id}/ladder/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** List the nudges of your task as they would be with a ladder, without choosing it */
        post: operations["preview_task_ladder"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{task_id}/heads-ups": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the heads-ups of a task */
        get: operations["read_heads_ups"];
        /** Choose all heads-ups of your task */
        put: operations["set_heads_ups"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ladders": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the ladders: of the service, of your own, of your labels, and your default */
        get: operations["list_ladders"];
        put?: never;
        /** Make a ladder of your own */
        post: operations["create_ladder"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ladders/{ladder_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Delete a ladder of your own; what had it gets the next one that is chosen */
        delete: operations["delete_ladder"];
        options?: never;
        head?: never;
        /** Change a ladder of your own; omitted fields keep their values */
        patch: operations["update_ladder"];
        trace?: never;
    };
    "/v1/ladders/default": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Choose the ladder of all tasks that have no other */
        put: operations["set_default_ladder"];
        post?: never;
        /** Go back to the default of the service */
        delete: operations["unset_default_ladder"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ladders/labels": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Choose the ladder of the tasks with a label */
        put: operations["set_label_ladder"];
        post?: never;
        /** Let a label choose no ladder any more */
        delete: operations["unset_label_ladder"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/stand-ins": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List who stands in for you, and whom you stand in for */
        get: operations["list_stand_ins"];
        put?: never;
        /** Ask a person to be told if you do not react: for a task, a label or everything */
        post: operations["ask_stand_in"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/stand-ins/{stand_in_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Decline, stop standing in, or end that somebody stands in for you */
        delete: operations["end_stand_in"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/stand-ins/{stand_in_id}/agree": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Agree to stand in for the person who asked */
        post: operations["agree_to_stand_in"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{task_id}/stand-ins": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List who is told of your task if you do not react, and how far that has come */
        get: operations["list_stand_ins_of_task"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/stand-in/tasks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the tasks that have reached you as a stand-in */
        get: operations["list_stand_in_tasks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/stand-in/tasks/{task_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a task that has reached you as a stand-in */
        get: operations["read_stand_in_task"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/stand-in/tasks/{task_id}/complete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Complete the occurrence that has reached you, for its owner */
        post: operations["complete_as_stand_in"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/stand-in/tasks/{task_id}/reopen": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Take back your own Done, within a day */
        post: operations["reopen_as_stand_in"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/stand-in/tasks/{task_id}/seen": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Say that you have seen it; the owner is shown when */
        post: operations["see_as_stand_in"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/stand-in/tasks/{task_id}/snooze": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Be told nothing more of it until then; its owner is nudged as before */
        post: operations["snooze_as_stand_in"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spaces/{space_id}/tasks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the tasks that you can see in a space */
        get: operations["list_space_tasks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spaces/{space_id}/tasks/{task_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a task of a space in detail */
        get: operations["read_space_task"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/outcomes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the outcomes of your tasks, newest first */
        get: operations["list_outcomes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/outcomes/missed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the occurrences that passed while an earlier one was open, newest first */
        get: operations["list_missed"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the statistics of your tasks */
        get: operations["read_statistics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sync": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read all changes since your last sync */
        get: operations["sync"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ladders/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Send a test as strong as a rung to your devices and channels */
        post: operations["test_rung"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spaces": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the spaces you are a member of */
        get: operations["list_spaces"];
        put?: never;
        /** Create a space and become its owner */
        post: operations["create_space"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spaces/{space_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Rename a space that you own */
        patch: operations["rename_space"];
        trace?: never;
    };
    "/v1/spaces/{space_id}/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the members of a space */
        get: operations["list_members"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spaces/{space_id}/members/{user_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Remove a member from a space that you own, and their tasks with them */
        delete: operations["remove_member"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spaces/{space_id}/membership": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Leave a space and take your tasks out of it */
        delete: operations["leave_space"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spaces/{space_id}/invites": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the open invitations to a space, newest first, without their tokens */
        get: operations["list_open_invites"];
        put?: never;
        /** Invite a person to a space */
        post: operations["invite"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spaces/{space_id}/invites/{invite_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Revoke an invitation */
        delete: operations["revoke_invite"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/invites/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** See who invites you to which space, before you accept */
        get: operations["preview_invite"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/invites/{token}/accept": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Accept an invitation and join its space */
        post: operations["accept_invite"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/me/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Export all data of your account as one document */
        get: operations["export_account"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/move-in": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List your latest imports from other apps, and how far they are */
        get: operations["list_move_ins"];
        put?: never;
        /**
         * Import what was previewed
         * @description Returns at once. `GET /v1/move-in` says how far it is.
         */
        post: operations["start_move_in"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/move-in/{move_in_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Take back an import of the last 24 hours, except what was changed since */
        delete: operations["undo_move_in"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/move-in/{move_in_id}/overdue": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List imported tasks that were overdue and wait for your decision */
        get: operations["list_undecided_tasks"];
        put?: never;
        /** Decide about imported tasks that were overdue */
        post: operations["decide_overdue_tasks"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/me/calendar": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the status of your calendar feed */
        get: operations["read_calendar_feed"];
        put?: never;
        /** Create the calendar feed, or replace it with a new URL */
        post: operations["make_calendar_feed"];
        /** Revoke the calendar feed */
        delete: operations["revoke_calendar_feed"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/calendar/{token}.ics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the open tasks as iCalendar; the URL contains the secret token */
        get: operations["read_calendar"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/caldav": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read how apps connect by CalDAV, and what you chose for them */
        get: operations["read_caldav"];
        /** Choose what apps that connect by CalDAV get and mean */
        put: operations["set_caldav"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/claim": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Become the first administrator, with the word in the terminal of the service */
        post: operations["claim_installation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read who gets an account, if you are an administrator */
        get: operations["read_installation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/sign-up": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Open sign-up to everybody, or close it to all but invited people */
        patch: operations["set_sign_up"];
        trace?: never;
    };
    "/v1/admin/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read how the installation is doing */
        get: operations["read_installation_health"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/people": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the accounts, oldest first */
        get: operations["list_people"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/people/{user_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read when and how an account is used, in counts */
        get: operations["read_person"];
        put?: never;
        post?: never;
        /** Delete an account and all of its data */
        delete: operations["delete_person"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/people/{user_id}/suspend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Suspend an account: nobody uses it, and it is sent no nudges */
        post: operations["suspend_person"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/people/{user_id}/lift": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Lift the suspension of an account */
        post: operations["lift_suspension"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/people/{user_id}/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** End every session of an account */
        delete: operations["end_sessions"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/people/{user_id}/second-factor-reset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Turn off the second factor of a person who has lost it, after 72 hours
         * @description The delay counts from the first mail to the person, who gets one each day with a link that stops it. A sign-in with the second factor stops it too. If one is under way, it goes on as it was.
         */
        post: operations["reset_second_factor"];
        /** Keep the second factor of a person on after all */
        delete: operations["withdraw_second_factor_reset"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/invitations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the addresses that are invited and have no account yet */
        get: operations["list_invitations"];
        put?: never;
        /** Invite an address to create an account */
        post: operations["invite_person"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/invitations/{invitation_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Take an invitation back */
        delete: operations["revoke_invitation"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/me/outages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List when the service was away lately, and which of your nudges were late
         * @description Of the last 7 days, without those that you dismissed; at most 10, the newest first.
         */
        get: operations["list_outages"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/me/outages/{outage_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Do not show this outage again */
        delete: operations["dismiss_outage"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Check the health of the service */
        get: operations["health"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/take-back/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show what a link in a mail to the owner takes back */
        get: operations["look_at_take_back"];
        put?: never;
        /** Take back a change of the address, or stop a reset of the second factor */
        post: operations["take_back"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/a/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show what a link in a message is about */
        get: operations["look_at_link"];
        put?: never;
        /** Act on the nudge of a link in a message */
        post: operations["act_by_link"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/billing": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Receive a billing event; the Authorization header holds the billing secret */
        post: operations["receive_billing_event"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/me/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Import tasks from an export or an iCalendar file */
        post: operations["import_tasks"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/move-in/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Preview what a file of another app would bring
         * @description Takes exports of Todoist, TickTick, Tasks.org, Google Tasks, Vikunja, Remember The Milk and this service, and iCalendar files, and recognises them by their content. Its tasks wait for an hour; nothing is imported yet.
         */
        post: operations["preview_move_in"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        ErrorOut: {
            /** @default false */
            ok: boolean;
            data: null;
            /** @description A stable code, a colon, and a sentence for a person. */
            error: string;
        };
        ValidationError: {
            /** @description Where the problem is: body, query or path, then the keys down to the value. */
            loc: (string | number)[];
            /** @description The problem, as a sentence. */
            msg: string;
            /** @description The problem, as a stable code. */
            type: string;
        };
        /**
         * @example {
         *       "detail": [
         *         {
         *           "type": "missing",
         *           "loc": [
         *             "body",
         *             "title"
         *           ],
         *           "msg": "Field required"
         *         }
         *       ]
         *     }
         */
        HTTPValidationError: {
            detail: components["schemas"]["ValidationError"][];
        };
        EmailAuthRequest: {
            /**
             * Format: email
             * @example ada@example.org
             */
            email: string;
        };
        EmailAuthVerify: {
            /**
             * Format: email
             * @example ada@example.org
             */
            email: string;
            /** @example 123456 */
            code: string;
        };
        AppleAuthRequest: {
            identity_token: string;
            full_name?: string | null;
            authorization_code?: string | null;
        };
        MfaVerify: {
            mfa_token: string;
            code: string;
        };
        EmailAuthResult: {
            /** @description `authenticated` with a `session_token`, or `mfa_required` with an `mfa_token`. */
            status: string;
            /** @description `login`, `register` or `link`. */
            mode: string | null;
            /** @default false */
            created: boolean;
            user_id: string | null;
            session_token: string | null;
            mfa_token: string | null;
            methods: string[] | null;
        };
        SessionOut: {
            /** Format: uuid */
            id: string;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            expires_at: string | null;
        };
        SessionNameOut: {
            /** Format: uuid */
            id: string;
            /** @description What signed in, such as `Firefox on Windows`, or the name that you gave it; null if neither is known. */
            name: string | null;
        };
        SessionRename: {
            name: string;
        };
        SessionProof: {
            /** @description Of a sign-in of the last 15 minutes. */
            session_token: string;
        };
        MfaCode: {
            code: string;
        };
        MfaEnrollOut: {
            secret: string;
            otpauth_uri: string;
        };
        MfaConfirmOut: {
            enabled: boolean;
            recovery_codes: string[];
        };
        MfaStatusOut: {
            enabled: boolean;
            /** @default 0 */
            recovery_codes_remaining: number;
        };
        AddressRequest: {
            /**
             * Format: email
             * @example ada@example.org
             */
            email: string;
        };
        AddressConfirm: {
            /**
             * Format: email
             * @example ada@example.org
             */
            email: string;
            /** @example 123456 */
            code: string;
        };
        PasskeyCreate: {
            /** @example My phone */
            name: string;
            /** @description What `navigator.credentials.create` returned, as its `toJSON` gives it. */
            credential: {
                id: string;
                rawId: string;
                /** @enum {string} */
                type: "public-key";
                response: {
                    clientDataJSON: string;
                    attestationObject: string;
                    transports?: string[];
                };
            };
        };
        PasskeyUpdate: {
            /** @example My phone */
            name: string;
        };
        PasskeyAuthRequest: {
            /** @description What `navigator.credentials.get` returned, as its `toJSON` gives it. */
            credential: {
                id: string;
                rawId: string;
                /** @enum {string} */
                type: "public-key";
                response: {
                    clientDataJSON: string;
                    authenticatorData: string;
                    signature: string;
                    userHandle?: string | null;
                };
            };
        };
        PasskeyOut: {
            /** Format: uuid */
            id: string;
            name: string;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            last_used_at: string | null;
        };
        PasskeyOptions: {
            /** @description The JSON form of the `publicKey` that `navigator.credentials` takes. Its challenge is valid for five minutes and once. */
            options: {
                [key: string]: unknown;
            };
        };
        TokenCreate: {
            /** @example My agent */
            name?: string | null;
            /**
             * @default [
             *       "tasks:read"
             *     ]
             */
            scopes: ("tasks:read" | "tasks:write" | "settings:write")[];
            /** Format: date-time */
            expires_at?: string | null;
            /** @description The highest stage of tasks that the token creates, or whose nudges it starts or brings forward; null for no limit. Below 2 the token cannot make a task break quiet hours. */
            max_stage?: number | null;
            /** @description How many tasks that the token created or reopened can be open at once; null for no limit. */
            max_open_tasks?: number | null;
        };
        TokenMinted: {
            /** Format: uuid */
            id: string;
            name: string | null;
            scopes: ("tasks:read" | "tasks:write" | "settings:write")[];
            /** @description The first characters of the token, by which you can recognise it. */
            prefix: string;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            last_used_at: string | null;
            /** Format: date-time */
            expires_at: string | null;
            /** @description The highest stage of tasks that the token creates, or whose nudges it starts or brings forward; null for no limit. Below 2 the token cannot make a task break quiet hours. */
            max_stage: number | null;
            /** @description How many tasks that the token created or reopened can be open at once; null for no limit. */
            max_open_tasks: number | null;
            /** @description The token. Only this response contains it. */
            token: string;
        };
        TokenOut: {
            /** Format: uuid */
            id: string;
            name: string | null;
            scopes: ("tasks:read" | "tasks:write" | "settings:write")[];
            /** @description The first characters of the token, by which you can recognise it. */
            prefix: string;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            last_used_at: string | null;
            /** Format: date-time */
            expires_at: string | null;
            /** @description The highest stage of tasks that the token creates, or whose nudges it starts or brings forward; null for no limit. Below 2 the token cannot make a task break quiet hours. */
            max_stage: number | null;
            /** @description How many tasks that the token created or reopened can be open at once; null for no limit. */
            max_open_tasks: number | null;
            client: {
                name: string | null;
                /** @description The host that vouches for the name; null if nobody does. */
                host: string | null;
            } | null;
        };
        TokenShortestWait: {
            /** @description The shortest wait between the due nudges of tasks that the token creates, or whose nudges it starts or brings forward; null for no limit. The token chooses no ladder with shorter waits. */
            minutes: number | null;
        };
        ConnectionAnswer: {
            /** @description Where the browser goes next. */
            redirect_to: string;
        };
        ConnectionDecision: {
            /** @description The query with which the assistant opened `/oauth/authorize`, unchanged. */
            query: string;
            agrees: boolean;
            rails?: {
                scopes: ("tasks:read" | "tasks:write" | "settings:write")[];
                max_stage: number | null;
                max_open_tasks: number | null;
                /** Format: date-time */
                expires_at: string | null;
                /** @description In minutes. If it is absent, the one of its newest connection to this account. */
                shortest_wait?: number | null;
            };
        };
        ConnectionPreview: {
            client: {
                /** @description What the assistant calls itself. */
                name: string | null;
                /** @description The host that vouches for the name; null if nobody does. */
                host: string | null;
            };
            target: {
                /** @enum {string} */
                kind: "web" | "own_machine" | "app";
                /** @description Where the answer is sent: a host, or the scheme of an app. */
                address: string;
            };
            scopes: ("tasks:read" | "tasks:write" | "settings:write")[];
            /** @description What its newest connection to this account may do; null if there is none. */
            held: {
                scopes: ("tasks:read" | "tasks:write" | "settings:write")[];
                max_stage: number | null;
                max_open_tasks: number | null;
                /** Format: date-time */
                expires_at: string | null;
                /** @description In minutes. If it is absent, the one of its newest connection to this account. */
                shortest_wait?: number | null;
            } | null;
        };
        ConnectionRequest: {
            /** @description The query with which the assistant opened `/oauth/authorize`, unchanged. */
            query: string;
        };
        UserSettingsOut: {
            /** Format: uuid */
            id: string;
            email: string | null;
            display_name: string | null;
            /** @description The IANA name of the time zone. */
            timezone: string;
            quiet_hours_start: string | null;
            quiet_hours_end: string | null;
            day_start: string;
            /** Format: date-time */
            paused_until: string | null;
            keep_must_not_miss: boolean;
            welcome_back: {
                /** Format: date-time */
                paused_from: string;
                /** Format: date-time */
                paused_until: string;
                /** @description The number of nudges that the pause held. */
                held: number;
            } | null;
            mfa_enabled: boolean;
            plan: string;
            /** Format: date-time */
            plan_expires_at: string | null;
            /** Format: date-time */
            created_at: string;
        };
        UserSettingsUpdate: {
            display_name?: string | null;
            /** @example Europe/Amsterdam */
            timezone?: string;
            /**
             * @description When quiet hours start. They apply only if both the start and the end are set.
             * @example 22:00
             */
            quiet_hours_start?: string | null;
            /**
             * @description When quiet hours end. An end before the start is on the next day.
             * @example 22:00
             */
            quiet_hours_end?: string | null;
            /**
             * @description When the day starts. All-day tasks are due at this time.
             * @example 22:00
             */
            day_start?: string;
        };
        PauseRequest: {
            /** Format: date-time */
            until: string;
            /** @default true */
            keep_must_not_miss: boolean;
        };
        PlannedPauseOut: {
            /** @description Null once it has begun: then it is the pause that `paused_until` of the settings tells about. */
            planned_pause: {
                /** Format: date-time */
                from: string;
                /** Format: date-time */
                until: string;
                keep_must_not_miss: boolean;
            } | null;
        };
        PlannedPauseRequest: {
            /** Format: date-time */
            from: string;
            /** Format: date-time */
            until: string;
            /** @default true */
            keep_must_not_miss: boolean;
        };
        TimeZoneRequest: {
            /** @example Europe/Amsterdam */
            timezone: string;
        };
        DeviceRegister: {
            /**
             * @default ios
             * @enum {string}
             */
            platform: "ios" | "android" | "web";
            ios_push_token?: string | null;
            android_push_token?: string | null;
            web_push_subscription?: {
                endpoint: string;
                keys: {
                    p256dh: string;
                    auth: string;
                };
            } | null;
            /**
             * @default sandbox
             * @enum {string}
             */
            push_env: "sandbox" | "production";
        };
        DevicePing: {
            ios_push_token: string;
        };
        LaPushToken: {
            ios_push_token: string;
            la_push_token: string;
        };
        DeviceOut: {
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            platform: "ios" | "android" | "web";
            valid: boolean;
        };
        DeviceDetailOut: {
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            platform: "ios" | "android" | "web";
            valid: boolean;
            /** @enum {string} */
            push_env: "sandbox" | "production";
            /** @description The reason that the push provider gave for no longer accepting the token. */
            invalid_reason: string | null;
            /** Format: date-time */
            last_seen_at: string | null;
            /** Format: date-time */
            created_at: string;
            /** @description What registered, such as `Firefox on Windows`; null if its User-Agent header did not tell. */
            name: string | null;
        };
        DeliveryAck: {
            /** Format: uuid */
            task_id: string;
            stage: number;
        };
        DeliveryAckOut: {
            acked: boolean;
        };
        LaActivityToken: {
            la_update_token: string;
        };
        TestPushOut: {
            sent: number;
            devices: {
                /** Format: uuid */
                device_id: string;
                /** @enum {string} */
                platform: "ios" | "android" | "web";
                /** @description `sent`, `failed_transient` or `failed_permanent`. */
                status: string;
                reason: string | null;
            }[];
        };
        VapidKeyOut: {
            /** @description The VAPID public key; null if Web Push is not configured. */
            public_key: string | null;
        };
        AccessOut: {
            /** @enum {string} */
            kind: "session" | "token" | "connection" | "passkey" | "identity" | "channel" | "calendar_feed" | "device" | "invite";
            /** Format: uuid */
            id: string;
            name: string | null;
            /** @description What tells it from others: the start of a token, the host of an assistant or provider, what is shown of the address of a channel, whom an invitation is for. */
            detail: string | null;
            /**
             * Format: date-time
             * @description Of a channel: when its address was last entered.
             */
            made_at: string;
            /** Format: date-time */
            last_used_at: string | null;
            /** @description Whether it is the session that asks. */
            current: boolean;
        };
        AccessEnd: {
            /**
             * @description End every session but the one that asks, also one begun since.
             * @default true
             */
            sessions: boolean;
            /**
             * @description Of everything else that is to end. An id that is not in the list is ignored.
             * @default []
             */
            ids: string[];
        };
        ChannelCreate: {
            provider: string;
            name?: string | null;
            /** @description What the kind asks for, by the names of its fields. */
            fields?: {
                [key: string]: string;
            };
            /** @description The stages that the channel is used for: -1 for a heads-up, then 0, 1 and 2. */
            stages?: number[];
            /** @description 0 is used at once, like devices; 1 to 3 if nobody answered in the tiers before. */
            tier?: number;
            private_title?: boolean;
        };
        ChannelUpdate: {
            name?: string | null;
            /** @description What the kind asks for, by the names of its fields. */
            fields?: {
                [key: string]: string;
            };
            /** @description The stages that the channel is used for: -1 for a heads-up, then 0, 1 and 2. */
            stages?: number[];
            /** @description 0 is used at once, like devices; 1 to 3 if nobody answered in the tiers before. */
            tier?: number;
            private_title?: boolean;
            /** @description Switches the channel off, or on again. */
            enabled?: boolean;
        };
        ChannelsUpdate: {
            fallback_minutes: number;
        };
        ChannelVerify: {
            /** @description Without it, a new code or link is made, or the challenge sent. */
            code?: string | null;
        };
        ChannelOut: {
            /** Format: uuid */
            id: string;
            provider: string;
            name: string | null;
            /** @description What is shown of the address; null for an access token. */
            label: string | null;
            /** @description `working`, `unconfirmed`, `incomplete` (imported, without an address), `off`, `needs_attention`, or `not_configured` by the operator. */
            state: string;
            /** @description What went wrong last, in a sentence. */
            problem: string | null;
            /** @description The same as a code. */
            reason: string | null;
            stages: number[];
            tier: number;
            private_title: boolean;
            /** @description Made by the service: used at every stage, as long as nothing else reaches you. */
            automatic: boolean;
            /** Format: date-time */
            verified_at: string | null;
            /** @description How that was shown: `echo`, `code`, `link` or `sign_in`. Of an earlier release, `answer`: any 2xx confirmed the webhook; `return`: only a browser named the Pushover key. Verify such a channel again, because it gets few messages a day. */
            proven_by: string | null;
            /** Format: date-time */
            created_at: string;
        };
        ChannelsOut: {
            /** @description Whether a nudge can reach you by any device or channel. */
            reachable: boolean;
            /** @description `nothing_set_up`, `not_confirmed`, `switched_off`, `mail_paused`, `not_working` or `not_configured`. */
            reason: string | null;
            /** @description The stages at which no device and no channel of yours gets a nudge. */
            unreached_stages: number[];
            /** @description How long each tier waits for an answer to the one before it. */
            fallback_minutes: number;
            /** @description Links and buttons in messages work on the machine of the service alone: it has no other address. */
            local_links: boolean;
            /** @description Nudges were late because the service was away: see `GET /v1/me/outages`. */
            was_late: boolean;
            /** @description What messages without titles call your tasks, if a channel keeps titles private: the 200 open ones that were nudged last, and the tasks of the last 200 messages about requests. Empty for an access token. */
            task_codes: {
                /** Format: uuid */
                task_id: string;
                /** @example #K7F3 */
                code: string;
            }[];
            channels: components["schemas"]["ChannelOut"][];
        };
        ChannelMade: {
            channel: components["schemas"]["ChannelOut"];
            /** @description What comes next: `none`, `code`, `answer` or `link`. */
            confirmation: string;
            /** @description What the other side needs, such as a signing secret or a topic to subscribe to. Shown once, by the request that made it. */
            set_up: {
                [key: string]: string;
            } | null;
            /** @description Where to go to connect the channel. */
            link: string | null;
            /** @description Whether the message with the code was `sent`, or why not, in a sentence. */
            sent: string | null;
        };
        ChannelKindOut: {
            provider: string;
            title: string;
            summary: string;
            fields: {
                name: string;
                label: string;
                hint: string;
                /** @description `text`, `url`, `email` or `phone`. */
                type: string;
                required: boolean;
                /** @description Not shown again, and entered again if the address changes. */
                secret: boolean;
                /** @description If it is empty, the service makes one. */
                generated: boolean;
            }[];
            /** @description `code`, `answer` or `link`. */
            confirmation: string;
            abilities: {
                replaces: boolean;
                retracts: boolean;
                buttons: boolean;
                receipts: boolean;
            };
            /** @description How a message arrives at each stage, from -1 to 2; null where none is sent by default. */
            strengths: (string | null)[];
            /** @description The tier of a new channel. */
            tier: number;
        };
        ChannelTestOut: {
            /** @description `sent`, `failed_transient` or `failed_permanent`. */
            status: string;
            reason: string | null;
            /** @description The reason as a sentence. */
            problem: string | null;
        };
        UnderstudiesOut: {
            /** @description `held`: messages wait elsewhere, to be shown if the service falls silent. `one`, `none_left`: the server takes few more messages today. `no_channel`: no channel of yours can hold one. `not_held`: they should be held, and `reason` says why they are not, or they are on their way. `paused`: your pause is longer than messages are held. `off`: the operator has switched it off. */
            state: string;
            /**
             * Format: uuid
             * @description The channel that holds them.
             */
            channel_id: string | null;
            /** @description Why a message could not be held, as a code. */
            reason: string | null;
            /** @description The same as a sentence. */
            problem: string | null;
            /** @description For how long the server holds a message. */
            horizon_seconds: number | null;
            /**
             * Format: date-time
             * @description When the server last took one.
             */
            moved_at: string | null;
            held: {
                /**
                 * Format: date-time
                 * @description When it is shown, unless it is moved before.
                 */
                at: string;
                /** @description `due`: names what is due by then. `task`: about one must-not-miss task. `gone`: nothing is due. */
                kind: string;
                /** Format: uuid */
                task_id: string | null;
            }[];
            channels: {
                /** Format: uuid */
                id: string;
                /** @description Whether it can hold a message: `yes`, `not_the_kind`, `not_working`, `same_machine` as the service, `server_too_old`, `off`, or another code that the server was refused for. */
                holds: string;
            }[];
        };
        TaskCreate: {
            /** @example Take the medication */
            title: string;
            notes?: string | null;
            /** @default todo */
            kind: string;
            /** Format: date-time */
            due_at?: string | null;
            /** @default false */
            has_time: boolean;
            /**
             * @description `{freq, interval, by_weekday, by_month_day, by_month, by_set_pos, by_time, until, count, from}` or `{rrule}`; an hourly or minutely rule with `from: "completion"` also takes `between: ["08:00", "22:00"]` and `per_day`. Any other object is stored, but the task does not repeat: the answer then has the header `X-Recurrence: not-understood`, or `partly-understood` if it repeats and some keys were ignored. At most 10,000 characters as JSON.
             * @example {
             *       "freq": "weekly",
             *       "by_weekday": [
             *         "mo",
             *         "th"
             *       ]
             *     }
             */
            recurrence?: {
                [key: string]: unknown;
            } | null;
            lead_time_days?: number | null;
            /** @default escalate */
            mode: string;
            /** @default false */
            break_quiet_hours: boolean;
            /** Format: uuid */
            owner_id?: string | null;
            /** Format: uuid */
            space_id?: string | null;
        };
        TaskUpdate: {
            /** @example Take the medication */
            title?: string;
            notes?: string | null;
            kind?: string;
            /** Format: date-time */
            due_at?: string | null;
            has_time?: boolean;
            /**
             * @description `{freq, interval, by_weekday, by_month_day, by_month, by_set_pos, by_time, until, count, from}` or `{rrule}`; an hourly or minutely rule with `from: "completion"` also takes `between: ["08:00", "22:00"]` and `per_day`. Any other object is stored, but the task does not repeat: the answer then has the header `X-Recurrence: not-understood`, or `partly-understood` if it repeats and some keys were ignored. At most 10,000 characters as JSON.
             * @example {
             *       "freq": "weekly",
             *       "by_weekday": [
             *         "mo",
             *         "th"
             *       ]
             *     }
             */
            recurrence?: {
                [key: string]: unknown;
            } | null;
            lead_time_days?: number | null;
            mode?: string;
            break_quiet_hours?: boolean;
            /** Format: uuid */
            space_id?: string | null;
        };
        OccurrenceRequest: {
            /**
             * Format: date-time
             * @description The occurrence to act on. The call is refused if the task has moved on to another one.
             */
            occurrence_due_at?: string | null;
        };
        SnoozeRequest: {
            /** Format: date-time */
            until: string;
            /**
             * Format: date-time
             * @description The occurrence to act on. The call is refused if the task has moved on to another one.
             */
            occurrence_due_at?: string | null;
        };
        MoveRequest: {
            /** Format: date-time */
            due_at: string;
            /**
             * @description Only the date of `due_at` counts: a task with a time keeps its time of day.
             * @default false
             */
            date_only: boolean;
            /**
             * Format: date-time
             * @description The occurrence to act on. The call is refused if the task has moved on to another one.
             */
            occurrence_due_at?: string | null;
        };
        RingAnywayRequest: {
            /**
             * Format: date-time
             * @description The `wanted_at` of one of the next nudges. A new date or snooze makes it meaningless.
             */
            at: string;
        };
        PreviewRequest: {
            /** Format: date-time */
            due_at?: string | null;
            has_time?: boolean;
            /**
             * @description `{freq, interval, by_weekday, by_month_day, by_month, by_set_pos, by_time, until, count, from}` or `{rrule}`; an hourly or minutely rule with `from: "completion"` also takes `between: ["08:00", "22:00"]` and `per_day`. Any other object is stored, but the task does not repeat: the answer then has the header `X-Recurrence: not-understood`, or `partly-understood` if it repeats and some keys were ignored. At most 10,000 characters as JSON.
             * @example {
             *       "freq": "weekly",
             *       "by_weekday": [
             *         "mo",
             *         "th"
             *       ]
             *     }
             */
            recurrence?: {
                [key: string]: unknown;
            } | null;
        };
        TaskEdit: {
            /** @example Take the medication */
            title?: string;
            notes?: string | null;
            kind?: string;
            /** Format: date-time */
            due_at?: string | null;
            has_time?: boolean;
            /**
             * @description `{freq, interval, by_weekday, by_month_day, by_month, by_set_pos, by_time, until, count, from}` or `{rrule}`; an hourly or minutely rule with `from: "completion"` also takes `between: ["08:00", "22:00"]` and `per_day`. Any other object is stored, but the task does not repeat: the answer then has the header `X-Recurrence: not-understood`, or `partly-understood` if it repeats and some keys were ignored. At most 10,000 characters as JSON.
             * @example {
             *       "freq": "weekly",
             *       "by_weekday": [
             *         "mo",
             *         "th"
             *       ]
             *     }
             */
            recurrence?: {
                [key: string]: unknown;
            } | null;
            lead_time_days?: number | null;
            mode?: string;
            break_quiet_hours?: boolean;
            /** Format: uuid */
            space_id?: string | null;
            /** @description Added to the notes, on a line of its own. */
            append_notes?: string;
            /** @description Moves the current occurrence alone. */
            move?: {
                /** Format: date-time */
                due_at: string;
                /**
                 * @description Only the date of `due_at` counts: a task with a time keeps its time of day.
                 * @default false
                 */
                date_only: boolean;
            };
        };
        TaskOut: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            owner_id: string;
            /** Format: uuid */
            assigner_id: string | null;
            /** Format: uuid */
            space_id: string | null;
            title: string;
            notes: string | null;
            kind: string;
            /** Format: date-time */
            due_at: string | null;
            has_time: boolean;
            mode: string;
            /** @description `open`, `done`, `skipped`, `dropped` or `declined`. */
            status: string;
            accepted_by_owner: boolean;
            escalation_stage: number;
            nudge_count: number;
            /** Format: date-time */
            next_fire_at: string | null;
            /** Format: date-time */
            completed_at: string | null;
            /** Format: date-time */
            skipped_at: string | null;
            /** Format: date-time */
            last_nudge_at: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        TaskDetailOut: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            owner_id: string;
            /** Format: uuid */
            assigner_id: string | null;
            /** Format: uuid */
            space_id: string | null;
            title: string;
            notes: string | null;
            kind: string;
            /** Format: date-time */
            due_at: string | null;
            has_time: boolean;
            mode: string;
            break_quiet_hours: boolean;
            /** @description `open`, `done`, `skipped`, `dropped` or `declined`. */
            status: string;
            accepted_by_owner: boolean;
            escalation_stage: number;
            nudge_count: number;
            /** Format: date-time */
            next_fire_at: string | null;
            /** Format: date-time */
            completed_at: string | null;
            recurrence: {
                [key: string]: unknown;
            } | null;
            lead_time_days: number | null;
            /** Format: date-time */
            deferred_until: string | null;
            /** Format: date-time */
            skipped_at: string | null;
            /** Format: date-time */
            last_nudge_at: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        TaskEditOut: {
            task: components["schemas"]["TaskOut"];
            /** @description What each changed field held before; empty if nothing changed. Long notes are cut. */
            before: {
                [key: string]: unknown;
            };
        };
        BatchRequest: {
            /** @enum {string} */
            as: "done" | "skipped" | "dropped";
            tasks: {
                /** Format: uuid */
                id: string;
                /**
                 * Format: date-time
                 * @description The occurrence to act on. The call is refused if the task has moved on to another one.
                 */
                occurrence_due_at?: string | null;
            }[];
        };
        BatchOut: {
            /** Format: uuid */
            batch_id: string;
            results: {
                /** Format: uuid */
                task_id: string;
                /** @description Its state afterwards; null if it was refused. */
                task: {
                    status: string;
                    /** Format: date-time */
                    due_at: string | null;
                    has_time: boolean;
                } | null;
                /** @description Why it was refused: the code of the error and a sentence. */
                error: string | null;
            }[];
        };
        ListedBatchOut: {
            /** Format: uuid */
            batch_id: string;
            /** @description `done`, `skipped` or `dropped`. */
            as: string;
            /** Format: date-time */
            at: string;
            /** @description Your tasks that taking it back would open again. */
            task_ids: string[];
        };
        RequestOut: {
            /** Format: uuid */
            task_id: string;
            /** @description `to_me`: somebody asked you. `from_me`: you asked somebody. */
            direction: string;
            /**
             * Format: uuid
             * @description Who asked you, or whom you asked.
             */
            person_id: string;
            person_name: string | null;
            /** Format: uuid */
            space_id: string | null;
            space_name: string | null;
            /** Format: date-time */
            asked_at: string;
            /** @description How often the person was told: once, and at most three repeats. */
            messages_sent: number;
            /** Format: date-time */
            next_message_at: string | null;
            /** @description Nobody answered, and no more messages come. */
            unanswered: boolean;
        };
        AskRequest: {
            /**
             * Format: uuid
             * @description A member of the space, or yourself.
             */
            owner_id: string;
        };
        RequestMessages: {
            /** @description Whether your channels and browsers get messages about requests: to you, and answers to yours. */
            enabled: boolean;
        };
        LabelColour: {
            /** @description The label, which is the `kind` of its tasks. */
            label: string;
            /** @enum {string} */
            colour: "gold" | "orange" | "red" | "purple" | "blue" | "teal" | "green" | "olive";
        };
        LabelColours: {
            labels: components["schemas"]["LabelColour"][];
            /**
             * @description Whether a label that has a colour already keeps it.
             * @default false
             */
            keep_existing: boolean;
        };
        FoundTaskOut: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            owner_id: string;
            /** Format: uuid */
            assigner_id: string | null;
            /** Format: uuid */
            space_id: string | null;
            title: string;
            notes: string | null;
            kind: string;
            /** Format: date-time */
            due_at: string | null;
            has_time: boolean;
            mode: string;
            break_quiet_hours: boolean;
            /** @description `open`, `done`, `skipped`, `dropped` or `declined`. */
            status: string;
            accepted_by_owner: boolean;
            escalation_stage: number;
            nudge_count: number;
            /** Format: date-time */
            next_fire_at: string | null;
            /** Format: date-time */
            completed_at: string | null;
            recurrence: {
                [key: string]: unknown;
            } | null;
            lead_time_days: number | null;
            /** Format: date-time */
            deferred_until: string | null;
            /** Format: date-time */
            skipped_at: string | null;
            /** Format: date-time */
            last_nudge_at: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            /** @description The strongest stage its nudges may reach; null: the strongest. */
            max_stage: number | null;
            space_name: string | null;
            /** @description Whether another person may have written the name of its space; null if it is in none. */
            space_written_by: {
                /** @description `you`, `person`, `agent`, `import`, or `unknown` if it was put back. */
                kind: string;
                /** @description Of the person or the access token, if it still exists. */
                name: string | null;
            } | null;
            /** @description The name of the person who assigned it to you. */
            asked_by: string | null;
            /** @description Who last wrote its title. `you` is the owner, or the access token of this call. */
            written_by: {
                /** @description `you`, `person`, `agent`, `import`, or `unknown` if it was put back. */
                kind: string;
                /** @description Of the person or the access token, if it still exists. */
                name: string | null;
            };
            /** @description The same of its notes; null if it has none. */
            notes_written_by: {
                /** @description `you`, `person`, `agent`, `import`, or `unknown` if it was put back. */
                kind: string;
                /** @description Of the person or the access token, if it still exists. */
                name: string | null;
            } | null;
            /** @description The same of its kind. */
            kind_written_by: {
                /** @description `you`, `person`, `agent`, `import`, or `unknown` if it was put back. */
                kind: string;
                /** @description Of the person or the access token, if it still exists. */
                name: string | null;
            };
        };
        AgendaEntryOut: {
            /** @description The day in your time zone. */
            date: string;
            /** @description On the clock of your time zone; null for all day. */
            time: string | null;
            /**
             * Format: date-time
             * @description The same as an instant: entries are in order of it.
             */
            at: string;
            /** Format: uuid */
            task_id: string;
            title: string;
            /** @description `due`: the present occurrence; `occurrence`: a later one; `snoozed`: the end of a snooze; `nudge`: the next nudge of a task that is due outside of the span. */
            kind: string;
            /** @description `open`, `overdue`, `snoozed`, `pending` (not accepted yet) or `missed`. */
            status: string;
            /** Format: date-time */
            due_at: string | null;
            /**
             * Format: date-time
             * @description The next nudge; of a later occurrence the first at its due moment.
             */
            next_nudge_at: string | null;
            /** @description What delays that nudge: `quiet_hours`, `pause`. */
            held_by: string[];
            /** @description How many were missed, from `due_at` to `missed_to`. */
            missed: number | null;
            /** Format: date-time */
            missed_to: string | null;
            /** @description More follow on this day, and are left out. */
            has_more: boolean;
        };
        NudgeForecast: {
            /** Format: date-time */
            at: string;
            /** @description How strong the nudge is: -1 for a heads-up, then 0, 1 and 2. */
            stage: number;
            /**
             * Format: date-time
             * @description When the nudge would be sent if nothing held it.
             */
            wanted_at: string;
            holds: ("quiet_hours" | "pause")[];
            /** @description The devices and channels that get the nudge at once; for the owner only. */
            via: string[];
            /** @description Why no device and no channel gets the nudge: `nothing_set_up`, `other_stages` if its owner chose other stages for what works, `enough_today` if enough messages about the task were sent in the 24 hours before, `mail_paused`, `not_confirmed`, `switched_off`, `not_working` or `not_configured`. Null if something gets it; for the owner only. */
            unreached: string | null;
            /** @description Which channels the nudge goes on to, and when, if nobody answers; for the owner only. */
            falls: {
                /** Format: date-time */
                at: string;
                tier: number;
                via: string[];
            }[];
        };
        TimelineEntry: {
            /** Format: uuid */
            id: string;
            /** Format: date-time */
            at: string;
            /** @description `created`, `accepted`, `declined`, `rescheduled`, `held`, `nudge`, `acknowledged`, `snoozed`, `done`, `skipped`, `dropped`, `reopened`, `edited`, `assigner_removed` if the owner ended the say of the assigner, `rings_anyway` and `rings_anyway_undone` if the nudge wanted at `until` passes the holds or no longer does, `snooze_undone` if a snooze until `until` was taken back, `stand_in_told` if a stand-in was told, `understudy` if a provider has probably announced the task because the service was silent, `missed` for occurrences that passed while an earlier one was open, or `fell_back` if a nudge went on to the next tier of channels. */
            kind: string;
            /** @description `owner`, `assigner` or `stand_in`; null if the service acted. */
            by: string | null;
            /**
             * Format: uuid
             * @description The stand-in who was told, or who acted.
             */
            person_id: string | null;
            person_name: string | null;
            /**
             * Format: uuid
             * @description The access token that was used; shown to the owner only.
             */
            token_id: string | null;
            /** @description The name and prefix of that token, while it exists; shown to the owner only. */
            token: {
                name: string | null;
                prefix: string;
            } | null;
            /** @description How strong the nudge is: -1 for a heads-up, then 0, 1 and 2. */
            stage: number | null;
            /**
             * Format: date-time
             * @description The end of a snooze or a hold, the moment that rings anyway, or the last of the missed occurrences.
             */
            until: string | null;
            holds: ("quiet_hours" | "pause")[];
            /** Format: date-time */
            occurrence_due_at: string | null;
            /** @description The fields that an edit changed. */
            fields: string[];
            /** @description What an edit replaced, while it can be put back; long notes are cut. Shown to the owner only. */
            before: {
                [key: string]: unknown;
            } | null;
            /** @description How many occurrences were missed, from `occurrence_due_at` to `until`. */
            missed: number | null;
            /**
             * Format: uuid
             * @description The bulk change that it belongs to.
             */
            batch_id: string | null;
            /** @description The kind of channel that an action came through, that a nudge fell to, or that announced the task. */
            via: string | null;
            /**
             * Format: date-time
             * @description Of a nudge that fell to the next tier: since when nobody answered; null if the tier before failed.
             */
            since: string | null;
            /** @description For a nudge: `no_device`, `pending`, `sent`, `failed`, `cancelled`, `superseded`, or `not_sent` if the account had too many deliveries at that time. */
            reached: string | null;
            /** @description Why no device and no channel gets the nudge: `nothing_set_up`, `other_stages` if its owner chose other stages for what works, `enough_today` if enough messages about the task were sent in the 24 hours before, `mail_paused`, `not_confirmed`, `switched_off`, `not_working` or `not_configured`. Null if something gets it; for the owner only. */
            unreached: string | null;
            /** @description The result on each device and channel; shown to the owner only, and for 90 days. */
            deliveries: {
                /** Format: uuid */
                device_id: string;
                /** @description The kind of device or channel. */
                via: string;
                /** @description What the device or channel is called; null if it was removed. */
                name: string | null;
                /** @description `pending`, `sent`, `failed_transient`, `failed_permanent`, `cancelled` or `superseded`. */
                status: string;
                reason: string | null;
                attempts: number;
                /** Format: date-time */
                sent_at: string | null;
                /** Format: date-time */
                acknowledged_at: string | null;
            }[] | null;
        };
        TaskLadderOut: {
            /**
             * @example [
             *       {
             *         "after": 0,
             *         "stage": 0
             *       },
             *       {
             *         "after": 10,
             *         "stage": 1
             *       }
             *     ]
             */
            rungs: {
                /**
                 * @description Minutes since the previous nudge; or `day_start` for the start of your next day, or `HH:MM` for that time of the next day. The first rung is the nudge at the due moment, so it has 0.
                 * @example 15
                 */
                after: number | string;
                /** @description How strong the nudge is. Stages only rise. */
                stage: number;
            }[];
            /** @description What happens after the last rung; null: the ladder stops. */
            end: {
                /** @description How many of the last rungs repeat. */
                repeat_last: number;
                /** @description How many times; null for without end. */
                times: number | null;
            } | null;
            /** @description Of a ladder of your own; for the owner only. */
            name: string | null;
            /** @enum {string|null} */
            preset: "default" | "gentle" | "persistent" | "daily" | "medication" | null;
            /**
             * Format: uuid
             * @description A ladder of your own.
             */
            ladder_id: string | null;
            /**
             * @description What chose it: the task, its label, the default of the account, or nobody.
             * @enum {string}
             */
            from: "task" | "label" | "account" | "service";
            /** @description The label that chose it. */
            label: string | null;
            /** @description The label that counts for its ladder: the one that its owner chose, also after somebody else has changed it. */
            counting_label: string;
            /** @description In what the nudges depart from the ladder: `waits_lengthened` to the shortest that is allowed, `repeats_although_ended` because the task must not be missed, `once_only` because it notifies once, `stage_limited` or `waits_limited_by_token` because of an access token that changed it. */
            fitted: ("waits_lengthened" | "repeats_although_ended" | "once_only" | "stage_limited" | "waits_limited_by_token")[];
        };
        LadderChoice: {
            /**
             * @description A ladder of the service.
             * @enum {string}
             */
            preset?: "default" | "gentle" | "persistent" | "daily" | "medication";
            /**
             * Format: uuid
             * @description A ladder of your own.
             */
            ladder_id?: string;
            /**
             * @description A ladder without a name.
             * @example [
             *       {
             *         "after": 0,
             *         "stage": 0
             *       },
             *       {
             *         "after": 10,
             *         "stage": 1
             *       }
             *     ]
             */
            rungs?: {
                /**
                 * @description Minutes since the previous nudge; or `day_start` for the start of your next day, or `HH:MM` for that time of the next day. The first rung is the nudge at the due moment, so it has 0.
                 * @example 15
                 */
                after: number | string;
                /** @description How strong the nudge is. Stages only rise. */
                stage: number;
            }[];
            /** @description What happens after the last rung; null: the ladder stops. If it is absent, the last of several rungs repeats without end. */
            end?: {
                /** @description How many of the last rungs repeat. */
                repeat_last: number;
                /** @description How many times; null for without end. */
                times: number | null;
            } | null;
        };
        LadderPreviewRequest: {
            /**
             * @description A ladder of the service.
             * @enum {string}
             */
            preset?: "default" | "gentle" | "persistent" | "daily" | "medication";
            /**
             * Format: uuid
             * @description A ladder of your own.
             */
            ladder_id?: string;
            /**
             * @description A ladder without a name.
             * @example [
             *       {
             *         "after": 0,
             *         "stage": 0
             *       },
             *       {
             *         "after": 10,
             *         "stage": 1
             *       }
             *     ]
             */
            rungs?: {
                /**
                 * @description Minutes since the previous nudge; or `day_start` for the start of your next day, or `HH:MM` for that time of the next day. The first rung is the nudge at the due moment, so it has 0.
                 * @example 15
                 */
                after: number | string;
                /** @description How strong the nudge is. Stages only rise. */
                stage: number;
            }[];
            /** @description What happens after the last rung; null: the ladder stops. If it is absent, the last of several rungs repeats without end. */
            end?: {
                /** @description How many of the last rungs repeat. */
                repeat_last: number;
                /** @description How many times; null for without end. */
                times: number | null;
            } | null;
            /** @default 10 */
            limit: number;
        };
        LadderPreviewOut: {
            nudges: components["schemas"]["NudgeForecast"][];
            /** @description In what the nudges depart from the ladder: `waits_lengthened` to the shortest that is allowed, `repeats_although_ended` because the task must not be missed, `once_only` because it notifies once, `stage_limited` or `waits_limited_by_token` because of an access token that changed it. */
            fitted: ("waits_lengthened" | "repeats_although_ended" | "once_only" | "stage_limited" | "waits_limited_by_token")[];
        };
        HeadsUps: {
            /** @description How long before the due moment: each one of `minutes`, `hours` and `days`. At most 5, besides the first one in days, which is the `lead_time_days` of the task. */
            heads_ups: {
                minutes?: number;
                hours?: number;
                /** @description Counted in days; at the start of your day. */
                days?: number;
            }[];
        };
        LadderCreate: {
            /** @example Until it is done */
            name: string;
            /**
             * @example [
             *       {
             *         "after": 0,
             *         "stage": 0
             *       },
             *       {
             *         "after": 10,
             *         "stage": 1
             *       }
             *     ]
             */
            rungs: {
                /**
                 * @description Minutes since the previous nudge; or `day_start` for the start of your next day, or `HH:MM` for that time of the next day. The first rung is the nudge at the due moment, so it has 0.
                 * @example 15
                 */
                after: number | string;
                /** @description How strong the nudge is. Stages only rise. */
                stage: number;
            }[];
            /** @description What happens after the last rung; null: the ladder stops. If it is absent, the last of several rungs repeats without end. */
            end?: {
                /** @description How many of the last rungs repeat. */
                repeat_last: number;
                /** @description How many times; null for without end. */
                times: number | null;
            } | null;
        };
        LadderUpdate: {
            /** @example Until it is done */
            name?: string;
            /**
             * @example [
             *       {
             *         "after": 0,
             *         "stage": 0
             *       },
             *       {
             *         "after": 10,
             *         "stage": 1
             *       }
             *     ]
             */
            rungs?: {
                /**
                 * @description Minutes since the previous nudge; or `day_start` for the start of your next day, or `HH:MM` for that time of the next day. The first rung is the nudge at the due moment, so it has 0.
                 * @example 15
                 */
                after: number | string;
                /** @description How strong the nudge is. Stages only rise. */
                stage: number;
            }[];
            /** @description What happens after the last rung; null: the ladder stops. */
            end?: {
                /** @description How many of the last rungs repeat. */
                repeat_last: number;
                /** @description How many times; null for without end. */
                times: number | null;
            } | null;
        };
        LadderNameRequest: {
            /**
             * @description A ladder of the service.
             * @enum {string}
             */
            preset?: "default" | "gentle" | "persistent" | "daily" | "medication";
            /**
             * Format: uuid
             * @description A ladder of your own.
             */
            ladder_id?: string;
        };
        LabelLadderRequest: {
            /**
             * @description The `kind` of the tasks.
             * @example medication
             */
            label: string;
            /**
             * @description A ladder of the service.
             * @enum {string}
             */
            preset?: "default" | "gentle" | "persistent" | "daily" | "medication";
            /**
             * Format: uuid
             * @description A ladder of your own.
             */
            ladder_id?: string;
        };
        LadderOut: {
            /**
             * Format: uuid
             * @description A ladder of your own.
             */
            id: string;
            name: string;
            /**
             * @example [
             *       {
             *         "after": 0,
             *         "stage": 0
             *       },
             *       {
             *         "after": 10,
             *         "stage": 1
             *       }
             *     ]
             */
            rungs: {
                /**
                 * @description Minutes since the previous nudge; or `day_start` for the start of your next day, or `HH:MM` for that time of the next day. The first rung is the nudge at the due moment, so it has 0.
                 * @example 15
                 */
                after: number | string;
                /** @description How strong the nudge is. Stages only rise. */
                stage: number;
            }[];
            /** @description What happens after the last rung; null: the ladder stops. */
            end: {
                /** @description How many of the last rungs repeat. */
                repeat_last: number;
                /** @description How many times; null for without end. */
                times: number | null;
            } | null;
        };
        LadderBookOut: {
            /** @description The ladders of the service. */
            presets: {
                /**
                 * @description A ladder of the service.
                 * @enum {string}
                 */
                preset: "default" | "gentle" | "persistent" | "daily" | "medication";
                /**
                 * @example [
                 *       {
                 *         "after": 0,
                 *         "stage": 0
                 *       },
                 *       {
                 *         "after": 10,
                 *         "stage": 1
                 *       }
                 *     ]
                 */
                rungs: {
                    /**
                     * @description Minutes since the previous nudge; or `day_start` for the start of your next day, or `HH:MM` for that time of the next day. The first rung is the nudge at the due moment, so it has 0.
                     * @example 15
                     */
                    after: number | string;
                    /** @description How strong the nudge is. Stages only rise. */
                    stage: number;
                }[];
                /** @description What happens after the last rung; null: the ladder stops. */
                end: {
                    /** @description How many of the last rungs repeat. */
                    repeat_last: number;
                    /** @description How many times; null for without end. */
                    times: number | null;
                } | null;
            }[];
            /** @description Your own. */
            ladders: components["schemas"]["LadderOut"][];
            /** @description The ladder of a task that has none of its own, by its label. */
            labels: {
                label: string;
                ladder: {
                    /**
                     * @description A ladder of the service.
                     * @enum {string}
                     */
                    preset: "default" | "gentle" | "persistent" | "daily" | "medication";
                } | {
                    /**
                     * Format: uuid
                     * @description A ladder of your own.
                     */
                    ladder_id: string;
                };
            }[];
            /** @description The ladder of all your other tasks; null: the default of the service. */
            default: {
                /**
                 * @description A ladder of the service.
                 * @enum {string}
                 */
                preset: "default" | "gentle" | "persistent" | "daily" | "medication";
            } | {
                /**
                 * Format: uuid
                 * @description A ladder of your own.
                 */
                ladder_id: string;
            } | null;
        };
        StandInRequest: {
            /**
             * Format: uuid
             * @description A member of the space.
             */
            person_id: string;
            /**
             * Format: uuid
             * @description A space of you both. It ends when one of you leaves it.
             */
            space_id: string;
            /**
             * Format: uuid
             * @description One task of yours.
             */
            task_id?: string;
            /** @description All your tasks with this label. Without both: all. */
            label?: string;
            /** @description From which nudge on the person is told: 0 for the first one at the due moment, 3 for the fourth. Null, for one task: the person is not told of it. */
            from_rung: number | null;
        };
        AgreeRequest: {
            /** @description What must not be missed may pass your quiet hours. False if it is left out. */
            passes_quiet_hours?: boolean;
        };
        StandInOut: {
            /** Format: uuid */
            id: string;
            /** @description `owner`: your tasks, told to the person. `stand_in`: you are told. */
            role: string;
            owner: {
                /** Format: uuid */
                id: string;
                display_name: string | null;
            };
            person: {
                /** Format: uuid */
                id: string;
                display_name: string | null;
            };
            /** Format: uuid */
            space_id: string;
            space_name: string | null;
            /** Format: uuid */
            task_id: string | null;
            /** @description Null for a stand-in who cannot read the task in its space. */
            task_title: string | null;
            label: string | null;
            /** @description From which nudge on the person is told: 0 for the first one at the due moment, 3 for the fourth. */
            from_rung: number | null;
            passes_quiet_hours: boolean;
            /** @description `asked`, `agreed`, or `left_out` for a task that the person is not told of. */
            state: string;
            /** Format: date-time */
            asked_at: string;
            /** Format: date-time */
            agreed_at: string | null;
        };
        TaskStandInOut: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            space_id: string;
            person: {
                /** Format: uuid */
                id: string;
                display_name: string | null;
            };
            /** @description From which nudge on the person is told: 0 for the first one at the due moment, 3 for the fourth. */
            from_rung: number | null;
            /** @description What the person was asked for: `task`, `label` or `everything`. */
            for: string;
            /** @description `asked`, `agreed` or `left_out`. */
            state: string;
            /**
             * Format: date-time
             * @description When the person will first be told if nobody reacts and nothing changes; null if they were, or never.
             */
            starts_at: string | null;
            /** Format: date-time */
            told_at: string | null;
            /**
             * Format: date-time
             * @description Until when the quiet hours or the pause of the person hold what they would be told now.
             */
            held_until: string | null;
            /** Format: date-time */
            seen_at: string | null;
        };
        StandInTaskOut: {
            /** Format: uuid */
            task_id: string;
            title: string;
            notes: string | null;
            owner: {
                /** Format: uuid */
                id: string;
                display_name: string | null;
            };
            /** Format: date-time */
            due_at: string | null;
            has_time: boolean;
            must_not_miss: boolean;
            stage: number;
            /** Format: uuid */
            stand_in_id: string;
            /** @description You are both reminded from the first nudge on. */
            is_either: boolean;
            /** Format: date-time */
            told_at: string;
            /** Format: date-time */
            last_told_at: string;
            /** Format: date-time */
            seen_at: string | null;
            /** Format: date-time */
            snoozed_until: string | null;
            settled: {
                /** Format: date-time */
                at: string;
                /** @description The name of the person; null if there is none. */
                by: string | null;
                /** @description You did it. */
                is_own: boolean;
                /** @description `done`, `skipped` or `dropped`. */
                how: string;
            } | null;
        };
        StandInSnooze: {
            /**
             * Format: date-time
             * @description You are told nothing more of it until then. With an offset.
             */
            until: string;
            /**
             * Format: date-time
             * @description The occurrence to act on. The call is refused if the task has moved on to another one.
             */
            occurrence_due_at?: string | null;
        };
        OutcomeOut: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            task_id: string;
            title: string;
            /** Format: date-time */
            occurrence_due_at: string | null;
            /** @description `done` or `skipped`. */
            outcome: string;
            /** Format: date-time */
            recorded_at: string;
        };
        MissedOut: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            task_id: string;
            title: string;
            /** Format: date-time */
            occurrence_due_at: string | null;
            /** @description `done` or `skipped`. */
            outcome: string;
            /** Format: date-time */
            recorded_at: string;
            /** @description How many occurrences passed meanwhile; 100 means a hundred or more. */
            missed: number;
            /** Format: date-time */
            missed_from: string;
            /**
             * Format: date-time
             * @description When the last of those counted was due.
             */
            missed_to: string;
        };
        StatsOut: {
            open: number;
            overdue: number;
            done: number;
            skipped: number;
            snoozed: number;
            nudges_sent: number;
            nudges_per_completion: number;
            avg_hours_to_complete: number | null;
            completion_rate: number | null;
        };
        RungTestRequest: {
            /** @description -1 for a heads-up, then 0, 1 and 2. */
            stage: number;
        };
        RungTestOut: {
            /** @description How many devices and channels took it. */
            sent: number;
            devices: {
                /** Format: uuid */
                device_id: string;
                platform: string;
                /** @description `sent`, `failed_transient` or `failed_permanent`. */
                status: string;
                reason: string | null;
            }[];
            /** @description The channels that a nudge of this stage would use. */
            channels: {
                /** Format: uuid */
                channel_id: string;
                provider: string;
                /** @description `sent`, `failed_transient` or `failed_permanent`. */
                status: string;
                reason: string | null;
                /** @description The reason as a sentence. */
                problem: string | null;
            }[];
        };
        SpaceCreate: {
            /** @example Home */
            name: string;
        };
        SpaceUpdate: {
            /** @example Home */
            name: string;
        };
        SpaceOut: {
            /** Format: uuid */
            id: string;
            name: string;
            /** Format: date-time */
            created_at: string;
        };
        MemberOut: {
            /** Format: uuid */
            user_id: string;
            /** @description `owner` or `member`. */
            role: string;
            display_name: string | null;
        };
        InviteCreate: {
            /** @description If this is an email address, the invitation is mailed to it. */
            invitee_contact?: string | null;
        };
        InviteOut: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            space_id: string;
            /** @description The secret of the invitation. Only this response contains it. One person can join with it. */
            token: string;
            /** @description `pending`, `accepted`, `revoked` or `expired`. */
            status: string;
        };
        OpenInviteOut: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            space_id: string;
            /** Format: uuid */
            inviter_id: string;
            /** @description Only for the inviter and the owner of the space, who may revoke the invitation. */
            invitee_contact: string | null;
            /** @description Always `pending`. */
            status: string;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            expires_at: string;
        };
        InvitePreviewOut: {
            space_name: string;
            /** @description The name that the inviter shows to others. */
            inviter_name: string | null;
            /** @description Whether you are in the space already. */
            is_member: boolean;
            /** Format: date-time */
            expires_at: string;
        };
        /** @description An event in the format of RevenueCat. All other fields are stored unchanged. */
        BillingWebhook: {
            event: {
                /** @description The id of the event. It stays the same when the provider sends the event again. */
                id: string;
                /** @example INITIAL_PURCHASE */
                type: string;
            };
        };
        ArchiveOut: {
            /** @description The version of the document format: 1. */
            schema_version: number;
            /** Format: date-time */
            exported_at: string;
            /** @description The settings as `GET /v1/me` returns them, and the `planned_pause`. */
            settings: {
                [key: string]: unknown;
            };
            spaces: {
                [key: string]: unknown;
            }[];
            access_tokens: {
                [key: string]: unknown;
            }[];
            devices: {
                [key: string]: unknown;
            }[];
            /** @description Without their addresses, which are secrets. */
            channels: {
                [key: string]: unknown;
            }[];
            /** @description How long each tier waits for an answer to the one before it. */
            fallback_minutes: number;
            /** @description Whether messages about requests are sent. */
            request_messages: boolean;
            /** @description Your own ladders, the ones of your labels and your default; null if you have chosen none. */
            ladders: {
                [key: string]: unknown;
            } | null;
            /** @description The colours of labels. */
            labels: components["schemas"]["LabelColour"][];
            /** @description Who stands in for you, and for whom you do. An import asks nobody, and leaves these out. */
            stand_ins: {
                [key: string]: unknown;
            }[];
            /** @description What you chose for apps that sync by CalDAV; null if nothing. */
            caldav: {
                [key: string]: unknown;
            } | null;
            identities: {
                [key: string]: unknown;
            }[];
            passkeys: {
                [key: string]: unknown;
            }[];
            /** @description Former addresses that can still undo their change. */
            address_changes: {
                [key: string]: unknown;
            }[];
            tasks: {
                /** Format: uuid */
                id: string;
                /** Format: uuid */
                owner_id: string;
                /** Format: uuid */
                assigner_id: string | null;
                /** Format: uuid */
                space_id: string | null;
                title: string;
                notes: string | null;
                kind: string;
                /** Format: date-time */
                due_at: string | null;
                has_time: boolean;
                mode: string;
                break_quiet_hours: boolean;
                /** @description `open`, `done`, `skipped`, `dropped` or `declined`. */
                status: string;
                accepted_by_owner: boolean;
                escalation_stage: number;
                nudge_count: number;
                /** Format: date-time */
                next_fire_at: string | null;
                /** Format: date-time */
                completed_at: string | null;
                recurrence: {
                    [key: string]: unknown;
                } | null;
                lead_time_days: number | null;
                /** Format: date-time */
                deferred_until: string | null;
                /** Format: date-time */
                skipped_at: string | null;
                /** Format: date-time */
                last_nudge_at: string | null;
                /** Format: date-time */
                created_at: string;
                /** Format: date-time */
                updated_at: string;
                due_written: string | null;
                series_first: string | null;
                occurrence_number: number;
                /** Format: date-time */
                occurrence_started_at: string;
                run: number;
                /** Format: date-time */
                run_started_at: string;
                step: number;
                /** Format: date-time */
                heads_up_at: string | null;
                /** Format: date-time */
                rings_anyway_at: string | null;
                /** Format: date-time */
                closed_at: string | null;
                max_stage: number | null;
                shortest_wait: number | null;
                ladder: {
                    [key: string]: unknown;
                } | null;
                ladder_label: string | null;
                heads_ups: {
                    [key: string]: unknown;
                }[] | null;
                /** Format: uuid */
                created_by_token: string | null;
                outcomes: {
                    /** Format: uuid */
                    id: string;
                    title: string;
                    /** Format: date-time */
                    occurrence_due_at: string | null;
                    outcome: string;
                    seconds_taken: number;
                    /** Format: date-time */
                    recorded_at: string;
                    missed: number | null;
                    /** Format: date-time */
                    missed_from: string | null;
                    /** Format: date-time */
                    missed_to: string | null;
                }[];
                timeline: {
                    /** Format: uuid */
                    id: string;
                    /** Format: date-time */
                    at: string;
                    kind: string;
                    by: string | null;
                    /** Format: uuid */
                    token_id: string | null;
                    stage: number | null;
                    run: number | null;
                    nudge: number | null;
                    /** Format: date-time */
                    until: string | null;
                    holds: string | null;
                    /** Format: date-time */
                    occurrence_due_at: string | null;
                    via: string | null;
                    /** Format: date-time */
                    since: string | null;
                    devices: number | null;
                    devices_reached: number | null;
                    unreached: string | null;
                    fields: string | null;
                    missed: number | null;
                    /** Format: uuid */
                    batch_id: string | null;
                }[];
                /** @description What edits replaced, as JSON. */
                task_changes: {
                    /** Format: uuid */
                    entry_id: string;
                    before: string;
                    /** Format: date-time */
                    changed_at: string;
                }[];
                /** @description Who last wrote its `title`, `notes` and `kind`, where that was not the account itself. */
                text_writers: {
                    field: string;
                    by: string;
                    /** Format: uuid */
                    token_id: string | null;
                }[];
                /** @description What an app that syncs by CalDAV sent of it, as JSON. */
                caldav_entries: {
                    name: string;
                    uid: string;
                    kept: string | null;
                    is_deleted: boolean;
                }[];
            }[];
            requests: components["schemas"]["TaskDetailOut"][];
            /**
             * Format: uuid
             * @description The `after` that requests the next importable part; null if there is none.
             */
            next_after: string | null;
        };
        ImportReport: {
            imported: number;
            /** @description The number of tasks that the account already had. */
            skipped: number;
            refused: number;
            /** @description The number of imported tasks of another program that were overdue by more than a day. They get no nudges. */
            quiet: number;
            /** @description The number of tasks that this import left in the file, because one import is limited in size. */
            remaining: number;
            /** @description To continue, send the file again with this value as `from`; null if no tasks remain. */
            next: number | null;
            /** @description If the two time zones differ, series and all-day tasks follow the one of the account. */
            zone: {
                /** @description The time zone that the document states; null if it states none. */
                document: string | null;
                /** @description The time zone of the account, which reminders follow. */
                account: string;
                /** @description True if the account was new and adopted the time zone of the document. */
                taken_over: boolean;
            };
            /** @description The numbers of imported tasks that were in a space or had an assigner. An import restores neither. */
            left_behind: {
                spaces: number;
                assigners: number;
            };
            /** @description The channels of the document, if this import took its first task. The mail that the service sets up by itself is not listed. */
            channels: {
                provider: string | null;
                name: string | null;
                /**
                 * Format: uuid
                 * @description The id of the channel in the account.
                 */
                id: string | null;
                /**
                 * @description `to_set_up`: its settings are back; enter its address, or connect it, and confirm that it is yours.
                 * @enum {string}
                 */
                result: "restored" | "to_set_up" | "already_there" | "refused";
                reason: string | null;
            }[];
            items: {
                /** @description The index of the task in the file, starting at 0. */
                index: number;
                title: string | null;
                /**
                 * Format: uuid
                 * @description The id of the task in the account; null if the task was not imported.
                 */
                id: string | null;
                /**
                 * @description `left_out`: the task is valid, but nothing was imported because other tasks were refused.
                 * @enum {string}
                 */
                result: "imported" | "already_there" | "refused" | "left_out";
                reason: string | null;
            }[];
        };
        MoveInPreviewOut: {
            /** Format: uuid */
            id: string;
            /**
             * @description The app that wrote the file.
             * @enum {string}
             */
            source: "todoist" | "ticktick" | "tasks_org" | "google_tasks" | "vikunja" | "remember_the_milk" | "icalendar" | "crescendo";
            /** @description How many tasks can come. */
            tasks: number;
            open: number;
            closed: number;
            /** @description Open tasks that are overdue, or whose first reminder would come at once. They wait for a decision before they ring. */
            overdue: number;
            repeating: number;
            /** @description The lists or projects of the file. Their index is the `list` of a label. */
            lists: {
                name: string;
                open: number;
                closed: number;
            }[];
            /** @description The first tasks that repeat. */
            rules: {
                title: string;
                /** @description The rule in words, as it is understood. */
                rule: string;
                has_time: boolean;
                /** @description The first dates. */
                dates: string[];
            }[];
            /** @description The first open tasks. */
            examples: {
                title: string;
                list: string | null;
                /** Format: date-time */
                due_at: string | null;
                has_time: boolean;
                overdue: boolean;
            }[];
            /** @description The first remarks. */
            not_understood: {
                /** @description Where it stands in the file. */
                at: string;
                title: string | null;
                /** @description What was not understood, and what becomes of it. */
                says: string;
            }[];
            /** @description How many remarks there are. */
            not_understood_count: number;
            /** @description What the file has and a task here has no place for. */
            left_out: {
                /** @enum {string} */
                what: "subtasks" | "attachments" | "sections" | "durations" | "priorities" | "people" | "reminders" | "tags" | "events" | "deleted" | "locations" | "long_notes" | "account";
                count: number;
            }[];
            /** @description How many of the tasks the account has. They do not come twice. */
            already_there: number;
            /**
             * Format: date-time
             * @description Until then the import can be started without sending the file again.
             */
            expires_at: string;
        };
        MoveInStart: {
            /**
             * Format: uuid
             * @description The `id` of the preview.
             */
            preview_id: string;
            /**
             * @description `open` leaves out what is done.
             * @default open
             * @enum {string}
             */
            which: "all" | "open";
            /**
             * @description The label of each list that shall have one.
             * @default []
             */
            labels: {
                list: number;
                /** @description The label, which is the `kind` of its tasks. */
                label: string;
            }[];
            /** @description The ladder of all tasks that escalate; null for the usual one. */
            ladder?: {
                /**
                 * @description A ladder of the service.
                 * @enum {string}
                 */
                preset?: "default" | "gentle" | "persistent" | "daily" | "medication";
                /**
                 * Format: uuid
                 * @description A ladder of your own.
                 */
                ladder_id?: string;
            } | null;
        };
        MoveInOut: {
            /** Format: uuid */
            id: string;
            /**
             * @description The app that wrote the file.
             * @enum {string}
             */
            source: "todoist" | "ticktick" | "tasks_org" | "google_tasks" | "vikunja" | "remember_the_milk" | "icalendar" | "crescendo";
            /**
             * @description `stopped`: the account reached a limit, which `problem` names.
             * @enum {string}
             */
            state: "preview" | "importing" | "stopped" | "done" | "undoing" | "undone";
            /** @description How many tasks the file has. */
            tasks: number;
            /** @description How many of them the import has looked at. */
            processed: number;
            imported: number;
            already_there: number;
            refused: number;
            /** @description Imported tasks that wait, or waited, for a decision. */
            overdue: number;
            /** @description What was taken back. */
            removed: number;
            /** @description What was not taken back, because somebody has changed it. */
            kept: number;
            problem: string | null;
            /** Format: date-time */
            created_at: string;
            /**
             * Format: date-time
             * @description Until then it can be taken back; null if it cannot.
             */
            undo_until: string | null;
        };
        UndecidedTasks: {
            tasks: {
                /** Format: uuid */
                id: string;
                title: string;
                kind: string;
                /** Format: date-time */
                due_at: string | null;
                has_time: boolean;
                repeats: boolean;
            }[];
            has_more: boolean;
        };
        OverdueDecision: {
            /**
             * @description `today`: due today. `keep_date`: overdue as it is, and its reminders begin. `drop`: voided.
             * @enum {string}
             */
            decision: "today" | "keep_date" | "drop";
            task_ids: string[];
        };
        CalendarFeedOut: {
            /** @description True if there is a feed from which a calendar can read your tasks. */
            active: boolean;
            /** Format: date-time */
            created_at: string | null;
            /**
             * Format: date-time
             * @description When a calendar last read the feed, to the minute.
             */
            last_read_at: string | null;
        };
        CalendarFeedMade: {
            /** @description True if there is a feed from which a calendar can read your tasks. */
            active: boolean;
            /** Format: date-time */
            created_at: string | null;
            /**
             * Format: date-time
             * @description When a calendar last read the feed, to the minute.
             */
            last_read_at: string | null;
            /** @description The URL to subscribe to. Only this response contains it. Anyone who has it can read your open tasks. */
            url: string;
        };
        CaldavSettings: {
            /** @description Whether a task that an app gives a high priority breaks quiet hours and goes on until it is done. */
            high_is_must_not_miss: boolean;
            /** @description How long after the due moment the app rings by itself, if the service cannot; null for not at all. */
            alarm_minutes: number | null;
        };
        CaldavAccount: {
            /** @description The address to enter in an app. */
            url: string;
            /** @description The password is an access token with `tasks:read` and `tasks:write`. */
            user_name: string;
            /** @description Whether a task that an app gives a high priority breaks quiet hours and goes on until it is done. */
            high_is_must_not_miss: boolean;
            /** @description How long after the due moment the app rings by itself, if the service cannot; null for not at all. */
            alarm_minutes: number | null;
        };
        AdminOut: {
            people: number;
            /** @description Who gets a new account: `open`, `invite` or `domains`. */
            sign_up: string;
            /** @description The setting SIGN_UP decides, so it cannot be changed here. */
            sign_up_fixed: boolean;
        };
        AdminPersonOut: {
            /** Format: uuid */
            id: string;
            email: string | null;
            display_name: string | null;
            /** Format: date-time */
            created_at: string;
            /**
             * Format: date-time
             * @description The last day on which an app, a session or an access token used the service.
             */
            last_seen_at: string | null;
            open_tasks: number;
            /** @description How many devices and channels a nudge can be sent to. */
            working_targets: number;
            mfa_enabled: boolean;
            /** @description Why the account is an administrator: `setting`, `provider`, `command_line` or `first_account`. */
            admin: string | null;
            /** Format: date-time */
            suspended_at: string | null;
        };
        AdminPersonDetailOut: {
            /** Format: uuid */
            id: string;
            email: string | null;
            display_name: string | null;
            /** Format: date-time */
            created_at: string;
            /**
             * Format: date-time
             * @description The last day on which an app, a session or an access token used the service.
             */
            last_seen_at: string | null;
            open_tasks: number;
            /** @description How many devices and channels a nudge can be sent to. */
            working_targets: number;
            mfa_enabled: boolean;
            /** @description Why the account is an administrator: `setting`, `provider`, `command_line` or `first_account`. */
            admin: string | null;
            /** Format: date-time */
            suspended_at: string | null;
            tasks: {
                open: number;
                done: number;
                skipped: number;
            };
            reach: {
                /** @description The platform of devices, or the provider of channels. */
                kind: string;
                /**
                 * @description `waiting` for a confirmation; `broken`: switched off, or dead.
                 * @enum {string}
                 */
                state: "working" | "waiting" | "broken";
                count: number;
            }[];
            stand_ins: {
                asked: number;
                agreed: number;
                stands_in: number;
            };
            sessions: number;
            tokens: number;
            second_factor_reset: {
                /** Format: date-time */
                requested_at: string;
                /**
                 * Format: date-time
                 * @description When the second factor is turned off.
                 */
                due_at: string;
            } | null;
        };
        AdminInvitationOut: {
            /** Format: uuid */
            id: string;
            email: string;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            expires_at: string;
        };
        AdminHealthOut: {
            version: string;
            node: string;
            role: string;
            /** Format: date-time */
            started_at: string;
            releases: {
                version: string;
                /** Format: date-time */
                first_started_at: string;
            }[];
            engine: {
                /** @description How many seconds late the most overdue nudge is. */
                lag_seconds: number;
                /** Format: date-time */
                last_sweep_at: string | null;
                /** @description How many processes run the engine. */
                processes: number;
            };
            processes: {
                release: string;
                role: string;
                /** Format: date-time */
                started_at: string;
            }[];
            /** @description How many processes of a release before 0.3.0 still run. They swallow nudges: stop them. */
            older_processes: number;
            database: {
                engine: string;
                size_bytes: number;
            };
            /** @description `smtp`, `printed` to the log, or `off`. */
            mail: string;
            providers: {
                provider: string;
                configured: boolean;
                /** @description Deliveries that could be sent now, counted up to 10000. */
                due: number;
                /** @description Deliveries that wait for a later time, counted up to 10000. */
                later: number;
                /** @description For how long the oldest due delivery has been waiting. */
                wait_seconds: number;
            }[];
            /**
             * Format: date-time
             * @description When `crescendo backup` last wrote a file. Null on PostgreSQL, whose own tools make the backups.
             */
            last_backup_at: string | null;
            /** @description Messages that are held elsewhere, to be shown if the service falls silent. */
            understudies: {
                /** @description `elsewhere`, `anywhere` or `off`: the setting UNDERSTUDIES. */
                where: string;
                /** @description How many people have everything held, counted up to 10000. */
                held: number;
                /** @description How many have one message, because the server takes few more today. */
                one: number;
                /** @description How many have none for this reason. */
                none_left: number;
                /** @description The shortest time for which a server holds them. */
                horizon_seconds: number | null;
                /** Format: date-time */
                last_moved_at: string | null;
                servers: {
                    /** @description Its host; null for servers that people chose themselves. */
                    name: string | null;
                    /** @description How many people have a message there, by the newest 2000 messages. */
                    people: number;
                    /** @description How many should have one, and it was refused. */
                    failing: number;
                    /** @description Why, in a sentence. */
                    problem: string | null;
                }[];
            };
            /** @description When no engine was alive, in the last 30 days, and how many people had how many late nudges. */
            last_outage: {
                /** Format: date-time */
                from: string;
                /** Format: date-time */
                to: string;
                people: number;
                nudges: number;
            } | null;
        };
        SignUpSwitch: {
            /** @enum {string} */
            sign_up: "open" | "invite";
        };
        InvitationCreate: {
            /** @description The address that gets an account. */
            email: string;
        };
        ClaimWord: {
            /** @description In any case and spacing. */
            word: string;
        };
        OutageOut: {
            /** Format: uuid */
            id: string;
            /**
             * Format: date-time
             * @description The last sign of life before.
             */
            from: string;
            /** Format: date-time */
            to: string;
            /** @description How many of your nudges were late. */
            count: number;
            /** @description The first 20 of them, without tasks that are no longer yours. */
            tasks: {
                /** Format: uuid */
                id: string;
                title: string;
                /**
                 * Format: date-time
                 * @description When the nudge was planned.
                 */
                planned_at: string;
                /** @description The kind of channel that has probably announced the task in that time. */
                announced_via: string | null;
            }[];
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: {
        /** @description In how many seconds to try again. */
        "Retry-After": number;
        /** @description `Bearer`, with an `error` for a wrong token and the `scope` that a token lacks. */
        "WWW-Authenticate": string;
        /** @description `true` if this is the stored answer to an earlier request with the same key. */
        "Idempotent-Replayed": string;
        /** @description The `cursor` of the next page. Absent from the last one. */
        "X-Next-Cursor": string;
        /** @description How many tasks of this page, the first ones, have all words that were searched for. */
        "X-Found-All": string;
        /** @description `not-understood` if the recurrence is stored and the task does not repeat, `partly-understood` if it repeats by a part of the recurrence only. Absent otherwise. */
        "X-Recurrence": string;
        /** @description Shows that the proof comes from who asked to sign in, if it is sent back in the same header. Optional. */
        "X-Sign-In-Request": string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    request_email_code: {
        parameters: {
            query?: never;
            header?: {
                /** @description The header of the same name in the answer that this sign-in began with. Optional, and safer. */
                "x-sign-in-request"?: string;
                /** @description The token of an invitation to a space. Where sign-up is by invitation, it admits one new account. */
                "x-invite"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EmailAuthRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Sign-In-Request": components["headers"]["X-Sign-In-Request"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: {
                            sent: boolean;
                            expires_in_seconds: number;
                            /** @description Who gets a new account here: anyone (`open`), people with an invitation (`invite`), or addresses of certain domains (`domains`). It is the same for every address. An address that has no account and gets none is mailed a note instead of a code. */
                            sign_up: string;
                        };
                        error: null;
                    };
                };
            };
        };
    };
    verify_email_code: {
        parameters: {
            query?: never;
            header?: {
                /** @description The header of the same name in the answer that this sign-in began with. Optional, and safer. */
                "x-sign-in-request"?: string;
                /** @description The token of an invitation to a space. Where sign-up is by invitation, it admits one new account. */
                "x-invite"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EmailAuthVerify"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["EmailAuthResult"];
                        error: null;
                    };
                };
            };
        };
    };
    request_provider_sign_in: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Sign-In-Request": components["headers"]["X-Sign-In-Request"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: {
                            nonce: string;
                            expires_in_seconds: number;
                        };
                        error: null;
                    };
                };
            };
        };
    };
    sign_in_with_provider: {
        parameters: {
            query?: never;
            header?: {
                /** @description The header of the same name in the answer that this sign-in began with. Optional, and safer. */
                "x-sign-in-request"?: string;
                /** @description The token of an invitation to a space. Where sign-up is by invitation, it admits one new account. */
                "x-invite"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AppleAuthRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["EmailAuthResult"];
                        error: null;
                    };
                };
            };
        };
    };
    verify_second_factor: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MfaVerify"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["EmailAuthResult"];
                        error: null;
                    };
                };
            };
        };
    };
    sign_out: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: {
                            revoked: boolean;
                        };
                        error: null;
                    };
                };
            };
        };
    };
    prove_sign_in: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SessionProof"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: {
                            proven: boolean;
                        };
                        error: null;
                    };
                };
            };
        };
    };
    list_sessions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["SessionOut"][];
                        error: null;
                    };
                };
            };
        };
    };
    list_session_names: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["SessionNameOut"][];
                        error: null;
                    };
                };
            };
        };
    };
    rename_session: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SessionRename"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["SessionNameOut"];
                        error: null;
                    };
                };
            };
        };
    };
    revoke_session: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: {
                            revoked: boolean;
                        };
                        error: null;
                    };
                };
            };
        };
    };
    enroll_second_factor: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["MfaEnrollOut"];
                        error: null;
                    };
                };
            };
        };
    };
    confirm_second_factor: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MfaCode"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["MfaConfirmOut"];
                        error: null;
                    };
                };
            };
        };
    };
    second_factor_status: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["MfaStatusOut"];
                        error: null;
                    };
                };
            };
        };
    };
    disable_second_factor: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MfaCode"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["MfaStatusOut"];
                        error: null;
                    };
                };
            };
        };
    };
    request_address_code: {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own. A repetition of the request with the same key gets the same answer for 24 hours, and nothing happens twice. An answer that holds a secret, or is larger than 64 KiB, is not kept: the repetition is refused with `idempotency_key_spent`. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AddressRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: {
                            sent: boolean;
                            expires_in_seconds: number;
                        };
                        error: null;
                    };
                };
            };
        };
    };
    change_address: {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own. A repetition of the request with the same key gets the same answer for 24 hours, and nothing happens twice. An answer that holds a secret, or is larger than 64 KiB, is not kept: the repetition is refused with `idempotency_key_spent`. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AddressConfirm"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: {
                            email: string;
                        };
                        error: null;
                    };
                };
            };
        };
    };
    find_second_factor_reset: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: {
                            reset: {
                                /** Format: date-time */
                                requested_at: string;
                                /**
                                 * Format: date-time
                                 * @description When the second factor is turned off.
                                 */
                                due_at: string;
                            } | null;
                        };
                        error: null;
                    };
                };
            };
        };
    };
    stop_second_factor_reset: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: {
                            /** @description False if there was nothing to stop. */
                            stopped: boolean;
                        };
                        error: null;
                    };
                };
            };
        };
    };
    begin_passkey_sign_in: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["PasskeyOptions"];
                        error: null;
                    };
                };
            };
        };
    };
    sign_in_with_passkey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PasskeyAuthRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["EmailAuthResult"];
                        error: null;
                    };
                };
            };
        };
    };
    begin_passkey: {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own. A repetition of the request with the same key gets the same answer for 24 hours, and nothing happens twice. An answer that holds a secret, or is larger than 64 KiB, is not kept: the repetition is refused with `idempotency_key_spent`. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["PasskeyOptions"];
                        error: null;
                    };
                };
            };
        };
    };
    list_passkeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["PasskeyOut"][];
                        error: null;
                    };
                };
            };
        };
    };
    add_passkey: {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own. A repetition of the request with the same key gets the same answer for 24 hours, and nothing happens twice. An answer that holds a secret, or is larger than 64 KiB, is not kept: the repetition is refused with `idempotency_key_spent`. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PasskeyCreate"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["PasskeyOut"];
                        error: null;
                    };
                };
            };
        };
    };
    remove_passkey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                passkey_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: {
                            removed: boolean;
                        };
                        error: null;
                    };
                };
            };
        };
    };
    rename_passkey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                passkey_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PasskeyUpdate"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["PasskeyOut"];
                        error: null;
                    };
                };
            };
        };
    };
    list_tokens: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["TokenOut"][];
                        error: null;
                    };
                };
            };
        };
    };
    mint_token: {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own. A repetition of the request with the same key gets the same answer for 24 hours, and nothing happens twice. An answer that holds a secret, or is larger than 64 KiB, is not kept: the repetition is refused with `idempotency_key_spent`. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["TokenCreate"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["TokenMinted"];
                        error: null;
                    };
                };
            };
        };
    };
    revoke_token: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                token_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: {
                            revoked: boolean;
                        };
                        error: null;
                    };
                };
            };
        };
    };
    read_shortest_wait: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                token_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["TokenShortestWait"];
                        error: null;
                    };
                };
            };
        };
    };
    set_shortest_wait: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                token_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TokenShortestWait"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["TokenShortestWait"];
                        error: null;
                    };
                };
            };
        };
    };
    preview_connection: {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own. A repetition of the request with the same key gets the same answer for 24 hours, and nothing happens twice. An answer that holds a secret, or is larger than 64 KiB, is not kept: the repetition is refused with `idempotency_key_spent`. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ConnectionRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["ConnectionPreview"];
                        error: null;
                    };
                };
            };
        };
    };
    decide_connection: {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own. A repetition of the request with the same key gets the same answer for 24 hours, and nothing happens twice. An answer that holds a secret, or is larger than 64 KiB, is not kept: the repetition is refused with `idempotency_key_spent`. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ConnectionDecision"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["ConnectionAnswer"];
                        error: null;
                    };
                };
            };
        };
    };
    read_settings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["UserSettingsOut"];
                        error: null;
                    };
                };
            };
        };
    };
    delete_account: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: {
                            deleted: boolean;
                        };
                        error: null;
                    };
                };
            };
        };
    };
    update_settings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["UserSettingsUpdate"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["UserSettingsOut"];
                        error: null;
                    };
                };
            };
        };
    };
    set_timezone: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TimeZoneRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["TimeZoneRequest"];
                        error: null;
                    };
                };
            };
        };
    };
    pause: {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own. A repetition of the request with the same key gets the same answer for 24 hours, and nothing happens twice. An answer that holds a secret, or is larger than 64 KiB, is not kept: the repetition is refused with `idempotency_key_spent`. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PauseRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["UserSettingsOut"];
                        error: null;
                    };
                };
            };
        };
    };
    end_pause: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["UserSettingsOut"];
                        error: null;
                    };
                };
            };
        };
    };
    acknowledge_pause: {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own. A repetition of the request with the same key gets the same answer for 24 hours, and nothing happens twice. An answer that holds a secret, or is larger than 64 KiB, is not kept: the repetition is refused with `idempotency_key_spent`. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["UserSettingsOut"];
                        error: null;
                    };
                };
            };
        };
    };
    read_planned_pause: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["PlannedPauseOut"];
                        error: null;
                    };
                };
            };
        };
    };
    plan_pause: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PlannedPauseRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["PlannedPauseOut"];
                        error: null;
                    };
                };
            };
        };
    };
    cancel_planned_pause: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["PlannedPauseOut"];
                        error: null;
                    };
                };
            };
        };
    };
    list_devices: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["DeviceDetailOut"][];
                        error: null;
                    };
                };
            };
        };
    };
    register_device: {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own. A repetition of the request with the same key gets the same answer for 24 hours, and nothing happens twice. An answer that holds a secret, or is larger than 64 KiB, is not kept: the repetition is refused with `idempotency_key_spent`. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["DeviceRegister"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["DeviceOut"];
                        error: null;
                    };
                };
            };
        };
    };
    keep_start_token: {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own. A repetition of the request with the same key gets the same answer for 24 hours, and nothing happens twice. An answer that holds a secret, or is larger than 64 KiB, is not kept: the repetition is refused with `idempotency_key_spent`. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LaPushToken"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["DeviceOut"];
                        error: null;
                    };
                };
            };
        };
    };
    ping_device: {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own. A repetition of the request with the same key gets the same answer for 24 hours, and nothing happens twice. An answer that holds a secret, or is larger than 64 KiB, is not kept: the repetition is refused with `idempotency_key_spent`. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DevicePing"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["DeviceOut"] | null;
                        error: null;
                    };
                };
            };
        };
    };
    remove_device: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                device_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: {
                            removed: boolean;
                        };
                        error: null;
                    };
                };
            };
        };
    };
    acknowledge_nudge: {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own. A repetition of the request with the same key gets the same answer for 24 hours, and nothing happens twice. An answer that holds a secret, or is larger than 64 KiB, is not kept: the repetition is refused with `idempotency_key_spent`. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DeliveryAck"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["DeliveryAckOut"];
                        error: null;
                    };
                };
            };
        };
    };
    test_push: {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own. A repetition of the request with the same key gets the same answer for 24 hours, and nothing happens twice. An answer that holds a secret, or is larger than 64 KiB, is not kept: the repetition is refused with `idempotency_key_spent`. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["TestPushOut"];
                        error: null;
                    };
                };
            };
        };
    };
    read_vapid_key: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["VapidKeyOut"];
                        error: null;
                    };
                };
            };
        };
    };
    report_activity: {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own. A repetition of the request with the same key gets the same answer for 24 hours, and nothing happens twice. An answer that holds a secret, or is larger than 64 KiB, is not kept: the repetition is refused with `idempotency_key_spent`. */
                "Idempotency-Key"?: string;
            };
            path: {
                task_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LaActivityToken"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["TaskOut"];
                        error: null;
                    };
                };
            };
        };
    };
    list_access: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["AccessOut"][];
                        error: null;
                    };
                };
            };
        };
    };
    sign_out_everywhere: {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own. A repetition of the request with the same key gets the same answer for 24 hours, and nothing happens twice. An answer that holds a secret, or is larger than 64 KiB, is not kept: the repetition is refused with `idempotency_key_spent`. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["AccessEnd"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: {
                            ended: number;
                        };
                        error: null;
                    };
                };
            };
        };
    };
    list_channels: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["ChannelsOut"];
                        error: null;
                    };
                };
            };
        };
    };
    create_channel: {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own. A repetition of the request with the same key gets the same answer for 24 hours, and nothing happens twice. An answer that holds a secret, or is larger than 64 KiB, is not kept: the repetition is refused with `idempotency_key_spent`. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChannelCreate"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["ChannelMade"];
                        error: null;
                    };
                };
            };
        };
    };
    change_fallback: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChannelsUpdate"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: {
                            fallback_minutes: number;
                        };
                        error: null;
                    };
                };
            };
        };
    };
    list_channel_kinds: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["ChannelKindOut"][];
                        error: null;
                    };
                };
            };
        };
    };
    remove_channel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                channel_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: {
                            removed: boolean;
                        };
                        error: null;
                    };
                };
            };
        };
    };
    change_channel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                channel_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ChannelUpdate"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["ChannelMade"];
                        error: null;
                    };
                };
            };
        };
    };
    verify_channel: {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own. A repetition of the request with the same key gets the same answer for 24 hours, and nothing happens twice. An answer that holds a secret, or is larger than 64 KiB, is not kept: the repetition is refused with `idempotency_key_spent`. */
                "Idempotency-Key"?: string;
            };
            path: {
                channel_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ChannelVerify"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["ChannelMade"];
                        error: null;
                    };
                };
            };
        };
    };
    test_channel: {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own. A repetition of the request with the same key gets the same answer for 24 hours, and nothing happens twice. An answer that holds a secret, or is larger than 64 KiB, is not kept: the repetition is refused with `idempotency_key_spent`. */
                "Idempotency-Key"?: string;
            };
            path: {
                channel_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["ChannelTestOut"];
                        error: null;
                    };
                };
            };
        };
    };
    read_understudies: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["UnderstudiesOut"];
                        error: null;
                    };
                };
            };
        };
    };
    list_tasks: {
        parameters: {
            query?: {
                /** @description A task status, or `pending`, `overdue` or `snoozed`. Any other value returns an empty list. */
                status?: string;
                /** @description If true, list the tasks that you assigned to others instead of your own. */
                assigned?: boolean;
                /** @description Without a limit the answer has all tasks. */
                limit?: number;
                /** @description The X-Next-Cursor header of the previous page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Next-Cursor": components["headers"]["X-Next-Cursor"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["TaskOut"][];
                        error: null;
                    };
                };
            };
        };
    };
    create_task: {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own. A repetition of the request with the same key gets the same answer for 24 hours, and nothing happens twice. An answer that holds a secret, or is larger than 64 KiB, is not kept: the repetition is refused with `idempotency_key_spent`. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TaskCreate"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    "X-Recurrence": components["headers"]["X-Recurrence"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["TaskOut"];
                        error: null;
                    };
                };
            };
        };
    };
    read_task: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Recurrence": components["headers"]["X-Recurrence"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["TaskDetailOut"];
                        error: null;
                    };
                };
            };
        };
    };
    update_task: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["TaskUpdate"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Recurrence": components["headers"]["X-Recurrence"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["TaskOut"];
                        error: null;
                    };
                };
            };
        };
    };
    complete_task: {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own. A repetition of the request with the same key gets the same answer for 24 hours, and nothing happens twice. An answer that holds a secret, or is larger than 64 KiB, is not kept: the repetition is refused with `idempotency_key_spent`. */
                "Idempotency-Key"?: string;
            };
            path: {
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["OccurrenceRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["TaskOut"];
                        error: null;
                    };
                };
            };
        };
    };
    skip_task: {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own. A repetition of the request with the same key gets the same answer for 24 hours, and nothing happens twice. An answer that holds a secret, or is larger than 64 KiB, is not kept: the repetition is refused with `idempotency_key_spent`. */
                "Idempotency-Key"?: string;
            };
            path: {
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["OccurrenceRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["TaskOut"];
                        error: null;
                    };
                };
            };
        };
    };
    snooze_task: {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own. A repetition of the request with the same key gets the same answer for 24 hours, and nothing happens twice. An answer that holds a secret, or is larger than 64 KiB, is not kept: the repetition is refused with `idempotency_key_spent`. */
                "Idempotency-Key"?: string;
            };
            path: {
                task_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SnoozeRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["TaskOut"];
                        error: null;
                    };
                };
            };
        };
    };
    end_snooze: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["TaskOut"];
                        error: null;
                    };
                };
            };
        };
    };
    move_task: {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own. A repetition of the request with the same key gets the same answer for 24 hours, and nothing happens twice. An answer that holds a secret, or is larger than 64 KiB, is not kept: the repetition is refused with `idempotency_key_spent`. */
                "Idempotency-Key"?: string;
            };
            path: {
                task_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MoveRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["TaskOut"];
                        error: null;
                    };
                };
            };
        };
    };
    preview_task: {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own. A repetition of the request with the same key gets the same answer for 24 hours, and nothing happens twice. An answer that holds a secret, or is larger than 64 KiB, is not kept: the repetition is refused with `idempotency_key_spent`. */
                "Idempotency-Key"?: string;
            };
            path: {
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["PreviewRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        /** @description The dates after the present one, if each is done when it is due. */
                        data: string[];
                        error: null;
                    };
                };
            };
        };
    };
    edit_task: {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own. A repetition of the request with the same key gets the same answer for 24 hours, and nothing happens twice. An answer that holds a secret, or is larger than 64 KiB, is not kept: the repetition is refused with `idempotency_key_spent`. */
                "Idempotency-Key"?: string;
            };
            path: {
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["TaskEdit"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    "X-Recurrence": components["headers"]["X-Recurrence"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["TaskEditOut"];
                        error: null;
                    };
                };
            };
        };
    };
    end_assignment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["TaskOut"];
                        error: null;
                    };
                };
            };
        };
    };
    ring_anyway: {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own. A repetition of the request with the same key gets the same answer for 24 hours, and nothing happens twice. An answer that holds a secret, or is larger than 64 KiB, is not kept: the repetition is refused with `idempotency_key_spent`. */
                "Idempotency-Key"?: string;
            };
            path: {
                task_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RingAnywayRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["TaskOut"];
                        error: null;
                    };
                };
            };
        };
    };
    undo_ring_anyway: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["TaskOut"];
                        error: null;
                    };
                };
            };
        };
    };
    restore_task: {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own. A repetition of the request with the same key gets the same answer for 24 hours, and nothing happens twice. An answer that holds a secret, or is larger than 64 KiB, is not kept: the repetition is refused with `idempotency_key_spent`. */
                "Idempotency-Key"?: string;
            };
            path: {
                task_id: string;
                entry_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["TaskOut"];
                        error: null;
                    };
                };
            };
        };
    };
    drop_task: {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own. A repetition of the request with the same key gets the same answer for 24 hours, and nothing happens twice. An answer that holds a secret, or is larger than 64 KiB, is not kept: the repetition is refused with `idempotency_key_spent`. */
                "Idempotency-Key"?: string;
            };
            path: {
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["TaskOut"];
                        error: null;
                    };
                };
            };
        };
    };
    accept_task: {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own. A repetition of the request with the same key gets the same answer for 24 hours, and nothing happens twice. An answer that holds a secret, or is larger than 64 KiB, is not kept: the repetition is refused with `idempotency_key_spent`. */
                "Idempotency-Key"?: string;
            };
            path: {
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["TaskOut"];
                        error: null;
                    };
                };
            };
        };
    };
    decline_task: {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own. A repetition of the request with the same key gets the same answer for 24 hours, and nothing happens twice. An answer that holds a secret, or is larger than 64 KiB, is not kept: the repetition is refused with `idempotency_key_spent`. */
                "Idempotency-Key"?: string;
            };
            path: {
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["TaskOut"];
                        error: null;
                    };
                };
            };
        };
    };
    reopen_task: {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own. A repetition of the request with the same key gets the same answer for 24 hours, and nothing happens twice. An answer that holds a secret, or is larger than 64 KiB, is not kept: the repetition is refused with `idempotency_key_spent`. */
                "Idempotency-Key"?: string;
            };
            path: {
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["TaskOut"];
                        error: null;
                    };
                };
            };
        };
    };
    list_batches: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["ListedBatchOut"][];
                        error: null;
                    };
                };
            };
        };
    };
    close_tasks: {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own. A repetition of the request with the same key gets the same answer for 24 hours, and nothing happens twice. An answer that holds a secret, or is larger than 64 KiB, is not kept: the repetition is refused with `idempotency_key_spent`. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BatchRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["BatchOut"];
                        error: null;
                    };
                };
            };
        };
    };
    undo_batch: {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own. A repetition of the request with the same key gets the same answer for 24 hours, and nothing happens twice. An answer that holds a secret, or is larger than 64 KiB, is not kept: the repetition is refused with `idempotency_key_spent`. */
                "Idempotency-Key"?: string;
            };
            path: {
                batch_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["BatchOut"];
                        error: null;
                    };
                };
            };
        };
    };
    list_requests: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["RequestOut"][];
                        error: null;
                    };
                };
            };
        };
    };
    ask_other: {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own. A repetition of the request with the same key gets the same answer for 24 hours, and nothing happens twice. An answer that holds a secret, or is larger than 64 KiB, is not kept: the repetition is refused with `idempotency_key_spent`. */
                "Idempotency-Key"?: string;
            };
            path: {
                task_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AskRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["TaskDetailOut"];
                        error: null;
                    };
                };
            };
        };
    };
    read_request_messages: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["RequestMessages"];
                        error: null;
                    };
                };
            };
        };
    };
    set_request_messages: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RequestMessages"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["RequestMessages"];
                        error: null;
                    };
                };
            };
        };
    };
    list_label_colours: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["LabelColour"][];
                        error: null;
                    };
                };
            };
        };
    };
    set_label_colours: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LabelColours"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["LabelColour"][];
                        error: null;
                    };
                };
            };
        };
    };
    delete_label_colour: {
        parameters: {
            query: {
                /** @description The label, which is the `kind` of its tasks. */
                label: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["LabelColour"][];
                        error: null;
                    };
                };
            };
        };
    };
    search_tasks: {
        parameters: {
            query?: {
                /** @description As in the list of tasks. */
                status?: string;
                /** @description Words of the title, the notes or the kind; the best matches come first. */
                q?: string;
                /** @description `some`: tasks with only some of the words too, after those with all. X-Found-All counts the latter. */
                match?: "all" | "some";
                /** @description The kind of task. */
                kind?: string;
                /** @description The name or the id of a space. */
                space?: string;
                /** @description Due at this date or date-time or later. */
                due_from?: string;
                /** @description Due at this date or date-time or earlier. */
                due_until?: string;
                /** @description Instead of a search: up to 50 ids of tasks, or their last 8 characters, separated by commas. */
                ids?: string;
                limit?: number;
                /** @description The X-Next-Cursor header of the previous page. A page may be empty before the last one. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Next-Cursor": components["headers"]["X-Next-Cursor"];
                    "X-Found-All": components["headers"]["X-Found-All"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["FoundTaskOut"][];
                        error: null;
                    };
                };
            };
        };
    };
    read_agenda: {
        parameters: {
            query?: {
                /** @description The first day, in your time zone; today if left out. */
                from?: string;
                /** @description The last day, at most 400 days in all; six days after the first if left out. */
                until?: string;
                task_id?: string;
                limit?: number;
                /** @description The X-Next-Cursor header of the previous page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Next-Cursor": components["headers"]["X-Next-Cursor"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["AgendaEntryOut"][];
                        error: null;
                    };
                };
            };
        };
    };
    forecast_task: {
        parameters: {
            query?: {
                limit?: number;
            };
            header?: never;
            path: {
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["NudgeForecast"][];
                        error: null;
                    };
                };
            };
        };
    };
    read_timeline: {
        parameters: {
            query?: {
                limit?: number;
                /** @description The X-Next-Cursor header of the previous page. */
                cursor?: string;
            };
            header?: never;
            path: {
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Next-Cursor": components["headers"]["X-Next-Cursor"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["TimelineEntry"][];
                        error: null;
                    };
                };
            };
        };
    };
    read_task_ladder: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["TaskLadderOut"];
                        error: null;
                    };
                };
            };
        };
    };
    set_task_ladder: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["LadderChoice"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["TaskLadderOut"];
                        error: null;
                    };
                };
            };
        };
    };
    unset_task_ladder: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["TaskLadderOut"];
                        error: null;
                    };
                };
            };
        };
    };
    preview_task_ladder: {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own. A repetition of the request with the same key gets the same answer for 24 hours, and nothing happens twice. An answer that holds a secret, or is larger than 64 KiB, is not kept: the repetition is refused with `idempotency_key_spent`. */
                "Idempotency-Key"?: string;
            };
            path: {
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["LadderPreviewRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["LadderPreviewOut"];
                        error: null;
                    };
                };
            };
        };
    };
    read_heads_ups: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["HeadsUps"];
                        error: null;
                    };
                };
            };
        };
    };
    set_heads_ups: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                task_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["HeadsUps"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["HeadsUps"];
                        error: null;
                    };
                };
            };
        };
    };
    list_ladders: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["LadderBookOut"];
                        error: null;
                    };
                };
            };
        };
    };
    create_ladder: {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own. A repetition of the request with the same key gets the same answer for 24 hours, and nothing happens twice. An answer that holds a secret, or is larger than 64 KiB, is not kept: the repetition is refused with `idempotency_key_spent`. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LadderCreate"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["LadderOut"];
                        error: null;
                    };
                };
            };
        };
    };
    delete_ladder: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                ladder_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: {
                            deleted: boolean;
                        };
                        error: null;
                    };
                };
            };
        };
    };
    update_ladder: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                ladder_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["LadderUpdate"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["LadderOut"];
                        error: null;
                    };
                };
            };
        };
    };
    set_default_ladder: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["LadderNameRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["LadderBookOut"];
                        error: null;
                    };
                };
            };
        };
    };
    unset_default_ladder: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["LadderBookOut"];
                        error: null;
                    };
                };
            };
        };
    };
    set_label_ladder: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LabelLadderRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["LadderBookOut"];
                        error: null;
                    };
                };
            };
        };
    };
    unset_label_ladder: {
        parameters: {
            query: {
                /**
                 * @description The `kind` of the tasks.
                 * @example medication
                 */
                label: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["LadderBookOut"];
                        error: null;
                    };
                };
            };
        };
    };
    list_stand_ins: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["StandInOut"][];
                        error: null;
                    };
                };
            };
        };
    };
    ask_stand_in: {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own. A repetition of the request with the same key gets the same answer for 24 hours, and nothing happens twice. An answer that holds a secret, or is larger than 64 KiB, is not kept: the repetition is refused with `idempotency_key_spent`. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["StandInRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["StandInOut"];
                        error: null;
                    };
                };
            };
        };
    };
    end_stand_in: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                stand_in_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: null;
                        error: null;
                    };
                };
            };
        };
    };
    agree_to_stand_in: {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own. A repetition of the request with the same key gets the same answer for 24 hours, and nothing happens twice. An answer that holds a secret, or is larger than 64 KiB, is not kept: the repetition is refused with `idempotency_key_spent`. */
                "Idempotency-Key"?: string;
            };
            path: {
                stand_in_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["AgreeRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["StandInOut"];
                        error: null;
                    };
                };
            };
        };
    };
    list_stand_ins_of_task: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["TaskStandInOut"][];
                        error: null;
                    };
                };
            };
        };
    };
    list_stand_in_tasks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["StandInTaskOut"][];
                        error: null;
                    };
                };
            };
        };
    };
    read_stand_in_task: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["StandInTaskOut"];
                        error: null;
                    };
                };
            };
        };
    };
    complete_as_stand_in: {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own. A repetition of the request with the same key gets the same answer for 24 hours, and nothing happens twice. An answer that holds a secret, or is larger than 64 KiB, is not kept: the repetition is refused with `idempotency_key_spent`. */
                "Idempotency-Key"?: string;
            };
            path: {
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["OccurrenceRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["StandInTaskOut"];
                        error: null;
                    };
                };
            };
        };
    };
    reopen_as_stand_in: {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own. A repetition of the request with the same key gets the same answer for 24 hours, and nothing happens twice. An answer that holds a secret, or is larger than 64 KiB, is not kept: the repetition is refused with `idempotency_key_spent`. */
                "Idempotency-Key"?: string;
            };
            path: {
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: null;
                        error: null;
                    };
                };
            };
        };
    };
    see_as_stand_in: {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own. A repetition of the request with the same key gets the same answer for 24 hours, and nothing happens twice. An answer that holds a secret, or is larger than 64 KiB, is not kept: the repetition is refused with `idempotency_key_spent`. */
                "Idempotency-Key"?: string;
            };
            path: {
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["StandInTaskOut"];
                        error: null;
                    };
                };
            };
        };
    };
    snooze_as_stand_in: {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own. A repetition of the request with the same key gets the same answer for 24 hours, and nothing happens twice. An answer that holds a secret, or is larger than 64 KiB, is not kept: the repetition is refused with `idempotency_key_spent`. */
                "Idempotency-Key"?: string;
            };
            path: {
                task_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["StandInSnooze"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["StandInTaskOut"];
                        error: null;
                    };
                };
            };
        };
    };
    list_space_tasks: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                space_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["TaskOut"][];
                        error: null;
                    };
                };
            };
        };
    };
    read_space_task: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                space_id: string;
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["TaskDetailOut"];
                        error: null;
                    };
                };
            };
        };
    };
    list_outcomes: {
        parameters: {
            query?: {
                outcome?: string;
                limit?: number;
                /** @description Only those recorded at this instant or later. */
                since?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["OutcomeOut"][];
                        error: null;
                    };
                };
            };
        };
    };
    list_missed: {
        parameters: {
            query?: {
                limit?: number;
                /** @description Only those recorded at this instant or later. */
                since?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["MissedOut"][];
                        error: null;
                    };
                };
            };
        };
    };
    read_statistics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["StatsOut"];
                        error: null;
                    };
                };
            };
        };
    };
    sync: {
        parameters: {
            query?: {
                since?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: {
                            tasks: components["schemas"]["TaskDetailOut"][];
                            /** @description The ids of tasks that you can no longer see. Apply them after `tasks`. */
                            removed: string[];
                            settings: components["schemas"]["UserSettingsOut"];
                            /**
                             * Format: date-time
                             * @description The `since` of the next sync.
                             */
                            server_time: string;
                            /** @description If true, discard all stored tasks: `tasks` is the complete list. */
                            reset: boolean;
                        };
                        error: null;
                    };
                };
            };
        };
    };
    test_rung: {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own. A repetition of the request with the same key gets the same answer for 24 hours, and nothing happens twice. An answer that holds a secret, or is larger than 64 KiB, is not kept: the repetition is refused with `idempotency_key_spent`. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RungTestRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["RungTestOut"];
                        error: null;
                    };
                };
            };
        };
    };
    list_spaces: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["SpaceOut"][];
                        error: null;
                    };
                };
            };
        };
    };
    create_space: {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own. A repetition of the request with the same key gets the same answer for 24 hours, and nothing happens twice. An answer that holds a secret, or is larger than 64 KiB, is not kept: the repetition is refused with `idempotency_key_spent`. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SpaceCreate"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["SpaceOut"];
                        error: null;
                    };
                };
            };
        };
    };
    rename_space: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                space_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SpaceUpdate"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["SpaceOut"];
                        error: null;
                    };
                };
            };
        };
    };
    list_members: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                space_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["MemberOut"][];
                        error: null;
                    };
                };
            };
        };
    };
    remove_member: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                space_id: string;
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: {
                            removed: boolean;
                        };
                        error: null;
                    };
                };
            };
        };
    };
    leave_space: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                space_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: {
                            left: boolean;
                        };
                        error: null;
                    };
                };
            };
        };
    };
    list_open_invites: {
        parameters: {
            query?: {
                limit?: number;
            };
            header?: never;
            path: {
                space_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["OpenInviteOut"][];
                        error: null;
                    };
                };
            };
        };
    };
    invite: {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own. A repetition of the request with the same key gets the same answer for 24 hours, and nothing happens twice. An answer that holds a secret, or is larger than 64 KiB, is not kept: the repetition is refused with `idempotency_key_spent`. */
                "Idempotency-Key"?: string;
            };
            path: {
                space_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["InviteCreate"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["InviteOut"];
                        error: null;
                    };
                };
            };
        };
    };
    revoke_invite: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                space_id: string;
                invite_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: {
                            revoked: boolean;
                        };
                        error: null;
                    };
                };
            };
        };
    };
    preview_invite: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["InvitePreviewOut"];
                        error: null;
                    };
                };
            };
        };
    };
    accept_invite: {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own. A repetition of the request with the same key gets the same answer for 24 hours, and nothing happens twice. An answer that holds a secret, or is larger than 64 KiB, is not kept: the repetition is refused with `idempotency_key_spent`. */
                "Idempotency-Key"?: string;
            };
            path: {
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["SpaceOut"];
                        error: null;
                    };
                };
            };
        };
    };
    export_account: {
        parameters: {
            query?: {
                /** @description Leave out timelines and writers, and return no more than one import accepts. `next_after` requests the next part. */
                importable?: boolean;
                /** @description Start after the task with this id. Implies `importable`. */
                after?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["ArchiveOut"];
                        error: null;
                    };
                };
            };
        };
    };
    list_move_ins: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["MoveInOut"][];
                        error: null;
                    };
                };
            };
        };
    };
    start_move_in: {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own. A repetition of the request with the same key gets the same answer for 24 hours, and nothing happens twice. An answer that holds a secret, or is larger than 64 KiB, is not kept: the repetition is refused with `idempotency_key_spent`. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MoveInStart"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["MoveInOut"];
                        error: null;
                    };
                };
            };
        };
    };
    undo_move_in: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                move_in_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["MoveInOut"];
                        error: null;
                    };
                };
            };
        };
    };
    list_undecided_tasks: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                move_in_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["UndecidedTasks"];
                        error: null;
                    };
                };
            };
        };
    };
    decide_overdue_tasks: {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own. A repetition of the request with the same key gets the same answer for 24 hours, and nothing happens twice. An answer that holds a secret, or is larger than 64 KiB, is not kept: the repetition is refused with `idempotency_key_spent`. */
                "Idempotency-Key"?: string;
            };
            path: {
                move_in_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OverdueDecision"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: {
                            decided: number;
                        };
                        error: null;
                    };
                };
            };
        };
    };
    read_calendar_feed: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["CalendarFeedOut"];
                        error: null;
                    };
                };
            };
        };
    };
    make_calendar_feed: {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own. A repetition of the request with the same key gets the same answer for 24 hours, and nothing happens twice. An answer that holds a secret, or is larger than 64 KiB, is not kept: the repetition is refused with `idempotency_key_spent`. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["CalendarFeedMade"];
                        error: null;
                    };
                };
            };
        };
    };
    revoke_calendar_feed: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: {
                            revoked: boolean;
                        };
                        error: null;
                    };
                };
            };
        };
    };
    read_calendar: {
        parameters: {
            query?: {
                /** @description Calendar apps show only events (`vevent`). Task apps can read `vtodo`. */
                as?: "vevent" | "vtodo";
            };
            header?: never;
            path: {
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/calendar": string;
                };
            };
        };
    };
    read_caldav: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["CaldavAccount"];
                        error: null;
                    };
                };
            };
        };
    };
    set_caldav: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CaldavSettings"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["CaldavSettings"];
                        error: null;
                    };
                };
            };
        };
    };
    claim_installation: {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own. A repetition of the request with the same key gets the same answer for 24 hours, and nothing happens twice. An answer that holds a secret, or is larger than 64 KiB, is not kept: the repetition is refused with `idempotency_key_spent`. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ClaimWord"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: {
                            claimed: boolean;
                        };
                        error: null;
                    };
                };
            };
        };
    };
    read_installation: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["AdminOut"];
                        error: null;
                    };
                };
            };
        };
    };
    set_sign_up: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SignUpSwitch"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["AdminOut"];
                        error: null;
                    };
                };
            };
        };
    };
    read_installation_health: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["AdminHealthOut"];
                        error: null;
                    };
                };
            };
        };
    };
    list_people: {
        parameters: {
            query?: {
                /** @description A part of the email address. */
                search?: string;
                /** @description The default is 50. */
                limit?: number;
                /** @description The X-Next-Cursor header of the previous page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Next-Cursor": components["headers"]["X-Next-Cursor"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["AdminPersonOut"][];
                        error: null;
                    };
                };
            };
        };
    };
    read_person: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["AdminPersonDetailOut"];
                        error: null;
                    };
                };
            };
        };
    };
    delete_person: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: {
                            deleted: boolean;
                        };
                        error: null;
                    };
                };
            };
        };
    };
    suspend_person: {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own. A repetition of the request with the same key gets the same answer for 24 hours, and nothing happens twice. An answer that holds a secret, or is larger than 64 KiB, is not kept: the repetition is refused with `idempotency_key_spent`. */
                "Idempotency-Key"?: string;
            };
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["AdminPersonDetailOut"];
                        error: null;
                    };
                };
            };
        };
    };
    lift_suspension: {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own. A repetition of the request with the same key gets the same answer for 24 hours, and nothing happens twice. An answer that holds a secret, or is larger than 64 KiB, is not kept: the repetition is refused with `idempotency_key_spent`. */
                "Idempotency-Key"?: string;
            };
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["AdminPersonDetailOut"];
                        error: null;
                    };
                };
            };
        };
    };
    end_sessions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: {
                            ended: number;
                        };
                        error: null;
                    };
                };
            };
        };
    };
    reset_second_factor: {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own. A repetition of the request with the same key gets the same answer for 24 hours, and nothing happens twice. An answer that holds a secret, or is larger than 64 KiB, is not kept: the repetition is refused with `idempotency_key_spent`. */
                "Idempotency-Key"?: string;
            };
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["AdminPersonDetailOut"];
                        error: null;
                    };
                };
            };
        };
    };
    withdraw_second_factor_reset: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["AdminPersonDetailOut"];
                        error: null;
                    };
                };
            };
        };
    };
    list_invitations: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["AdminInvitationOut"][];
                        error: null;
                    };
                };
            };
        };
    };
    invite_person: {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own. A repetition of the request with the same key gets the same answer for 24 hours, and nothing happens twice. An answer that holds a secret, or is larger than 64 KiB, is not kept: the repetition is refused with `idempotency_key_spent`. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["InvitationCreate"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: {
                            invitation: components["schemas"]["AdminInvitationOut"];
                            /** @description False if the service sends no mail: tell the person yourself. */
                            mailed: boolean;
                        };
                        error: null;
                    };
                };
            };
        };
    };
    revoke_invitation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                invitation_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: {
                            revoked: boolean;
                        };
                        error: null;
                    };
                };
            };
        };
    };
    list_outages: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["OutageOut"][];
                        error: null;
                    };
                };
            };
        };
    };
    dismiss_outage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                outage_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: {
                            dismissed: boolean;
                        };
                        error: null;
                    };
                };
            };
        };
    };
    health: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: {
                            /** @description `ok`; `busy` while requests are refused because of an overload. */
                            status: string;
                            version: string;
                            database: string;
                            engine: {
                                /** @description How many seconds late the most overdue nudge is. */
                                lag_seconds: number;
                                /**
                                 * Format: date-time
                                 * @description When the engine of this process last checked for due tasks; null if the process has no engine.
                                 */
                                last_sweep_at: string | null;
                            };
                        };
                        error: null;
                    };
                };
            };
        };
    };
    look_at_take_back: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
        };
    };
    take_back: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
        };
    };
    look_at_link: {
        parameters: {
            query?: {
                /** @description Only a POST acts. */
                do?: "done" | "snooze" | "seen" | "undo" | "stop" | "confirm" | "accept" | "decline" | "leave";
            };
            header?: never;
            path: {
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
        };
    };
    act_by_link: {
        parameters: {
            query?: {
                /** @description Only a POST acts. */
                do?: "done" | "snooze" | "seen" | "undo" | "stop" | "confirm" | "accept" | "decline" | "leave";
            };
            header?: never;
            path: {
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
        };
    };
    receive_billing_event: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BillingWebhook"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: {
                            event_id: string;
                            /**
                             * @description `applied` to an account, `recorded` if no account is known for the event, `repeated` if it was stored before.
                             * @enum {string}
                             */
                            result: "applied" | "recorded" | "repeated";
                        };
                        error: null;
                    };
                };
            };
        };
    };
    import_tasks: {
        parameters: {
            query?: {
                /** @description If some tasks are refused, import the others. */
                partial?: boolean;
                /** @description The index of the first task to import: `next` of the previous report. */
                from?: number;
            };
            header?: {
                /** @description A text of your own. A repetition of the request with the same key gets the same answer for 24 hours, and nothing happens twice. An answer that holds a secret, or is larger than 64 KiB, is not kept: the repetition is refused with `idempotency_key_spent`. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    [key: string]: unknown;
                };
                "text/calendar": unknown;
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["ImportReport"];
                        error: null;
                    };
                };
            };
        };
    };
    preview_move_in: {
        parameters: {
            query?: {
                /** @description The name of the file. Todoist names the project nowhere else. */
                name?: string;
            };
            header?: {
                /** @description A text of your own. A repetition of the request with the same key gets the same answer for 24 hours, and nothing happens twice. An answer that holds a secret, or is larger than 64 KiB, is not kept: the repetition is refused with `idempotency_key_spent`. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/octet-stream": unknown;
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["MoveInPreviewOut"];
                        error: null;
                    };
                };
            };
        };
    };
}
