/* SPDX-License-Identifier: Apache-2.0 */
/* Statuses for Java: as longs in an array, because the class mpi.Status exists once per class loader. */
#include "jni/jni_face.h"

void jni_envelope_set(JNIEnv *env, jlongArray envelopes, size_t at, int index, const cor_status *status)
{
    if (!envelopes)
        return;
    jlong values[JNI_ENVELOPE_LONGS] = {
        [JNI_INDEX] = index == COR_UNDEFINED ? JNI_UNDEFINED : index,
        [JNI_SOURCE] = status->source == COR_ANY_SOURCE ? JNI_ANY_SOURCE : status->source,
        [JNI_TAG] = status->tag, /* ANY_TAG is the same number on both sides */
        [JNI_BYTES] = (jlong)status->bytes,
        [JNI_IS_CANCELLED] = status->is_cancelled,
    };
    (*env)->SetLongArrayRegion(env, envelopes, (jsize)(at * JNI_ENVELOPE_LONGS), JNI_ENVELOPE_LONGS, values);
}
