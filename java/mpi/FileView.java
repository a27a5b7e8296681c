// SPDX-License-Identifier: Apache-2.0
package mpi;

/** How a rank sees a file: a displacement and a datatype, repeated to its end; see {@link File}. */
public final class FileView {
    private final long disp;
    private final Datatype eType;
    private final Datatype fileType;
    private final String dataRep;

    /**
     * A view.
     *
     * @param disp where the view begins, in bytes
     * @param eType the elements of the view, which offsets count
     * @param fileType which of the elements the rank sees
     * @param dataRep how elements look in the file
     */
    public FileView(long disp, Datatype eType, Datatype fileType, String dataRep) {
        this.disp = disp;
        this.eType = eType;
        this.fileType = fileType;
        this.dataRep = dataRep;
    }

    /**
     * Where the view begins.
     *
     * @return bytes
     */
    public long getDisp() {
        return disp;
    }

    /**
     * The elements of the view, which offsets count.
     *
     * @return the datatype
     */
    public Datatype getEType() {
        return eType;
    }

    /**
     * Which of the elements the rank sees.
     *
     * @return the datatype
     */
    public Datatype getFileType() {
        return fileType;
    }

    /**
     * How elements look in the file.
     *
     * @return the name
     */
    public String getDataRep() {
        return dataRep;
    }
}
